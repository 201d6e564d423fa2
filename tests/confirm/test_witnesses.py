"""The witnesses that rules bring, on emulated CUDA, and before the rules themselves."""

from __future__ import annotations

import pytest

from devlint.confirm.bench import Bench, run
from devlint.confirm.witness import Witness, parsed, witness_of
from devlint.finding import Evidence
from devlint.plan import Plan
from devlint.registry import AnyRule, RulePackError, load_rules
from devlint.settings import Settings

pytest.importorskip("torch")
pytest.importorskip("numpy", reason="a witness uses NumPy")

RULES = {rule.code: rule for rule in load_rules()}
WITNESSES = {code: each for code, rule in RULES.items() if (each := witness_of(rule))}
ON_CUDA = {"DEV601", "DEV602"}
LIMIT = 60.0

TEXT = """\
# A title

- accepted: `one thing`
- accepted: `another`
- layer: `nn.Linear(4, 4)`

```python buggy
import torch
```

```python fixed
pass
```
"""


@pytest.fixture(scope="module")
def bench() -> Bench:
    return run(WITNESSES.values(), "emulated", LIMIT)


def test_all_default_rules_have_a_witness() -> None:
    assert {rule.code for rule in RULES.values() if not rule.is_opt_in} <= WITNESSES.keys()


@pytest.mark.parametrize("code", WITNESSES)
def test_emulated_cuda_confirms(code: str, bench: Bench) -> None:
    evidence = bench.evidence(WITNESSES[code])
    assert evidence.verdict == ("needs real CUDA" if code in ON_CUDA else "confirmed"), evidence
    assert evidence.on == "emulated CUDA"


@pytest.mark.parametrize("code", ON_CUDA)
def test_what_needs_cuda_is_not_run_without(code: str, bench: Bench) -> None:
    assert not bench.errors.keys() & {*WITNESSES[code].programs}


@pytest.mark.parametrize("code", WITNESSES)
def test_the_rule_finds_its_witness(code: str) -> None:
    assert code in codes(RULES[code], WITNESSES[code].buggy)
    assert codes(RULES[code], WITNESSES[code].fixed) == []


def codes(rule: AnyRule, program: str) -> list[str]:
    plan = Plan.of(Settings(extend_select=(rule.code,)), [*RULES.values()])
    return [each.code for each in plan.check("witness.py", program.encode()).findings]


def test_a_witness_is_read() -> None:
    assert parsed("ACME001", TEXT) == Witness(
        "ACME001",
        "import torch\n",
        "pass\n",
        ("one thing", "another"),
        {"layer": "nn.Linear(4, 4)"},
    )


@pytest.mark.parametrize(
    ("part", "missing"),
    [
        ("python buggy", "`buggy` program"),
        ("python fixed", "`fixed` program"),
        ("- accepted", "`accepted` part of a message"),
    ],
)
def test_an_incomplete_witness_is_told(part: str, missing: str) -> None:
    with pytest.raises(RulePackError, match=f"the witness of ACME001 has no {missing}"):
        parsed("ACME001", TEXT.replace(part, "-"))


def test_a_rule_without_a_witness() -> None:
    assert witness_of(RULES["DEV801"]) is None
    assert Bench({}, "2.13.0", None).evidence(None).verdict == "no witness"


def judged(buggy: str | None, fixed: str | None, cuda: str | None = None) -> Evidence:
    bench = Bench({"buggy": buggy, "fixed": fixed}, "2.13.0", cuda)
    return bench.evidence(Witness("ACME001", "buggy", "fixed", ("same device",)))


def test_verdicts() -> None:
    expected = "RuntimeError: Caught in a worker\nRuntimeError: not on the same device\nthere"
    telling = "RuntimeError: not on the same device"
    on = ("emulated CUDA", "2.13.0")
    assert judged(expected, None) == Evidence("confirmed", *on, telling)
    assert judged(None, None) == Evidence("refuted", *on)
    assert judged("ValueError: a\nb", None) == Evidence("inconclusive", *on, "ValueError: a")
    fails = "the fixed program fails: ValueError: a"
    assert judged(expected, "ValueError: a\nb") == Evidence("inconclusive", *on, fails)
    assert judged(expected, None, "CUDA, NVIDIA A100").on == "CUDA, NVIDIA A100"
