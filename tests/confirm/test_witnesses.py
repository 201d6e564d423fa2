"""The witnesses that rules bring, on emulated CUDA, and before the rules themselves."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from devlint_rules.mixed_devices import MixedDevices

from devlint.confirm.witnesses.judge import Bench, run
from devlint.confirm.witnesses.witness import Witness, parsed, witness_of, witnesses_of
from devlint.finding import START, Evidence, Finding
from devlint.rule.registry import AnyRule, RulePackError, load_rules
from devlint.run.plan import Plan
from devlint.settings import Settings

pytest.importorskip("torch")
pytest.importorskip("numpy", reason="a witness uses NumPy")

ROOT = Path(__file__).parents[2]
RULES = {rule.code: rule for rule in load_rules()}
WITNESSES = {each.title: each for rule in RULES.values() for each in witnesses_of(rule)}
ON_CUDA = ["A copy that is read before it has arrived", "CUDA in a worker of a loader"]
LIMIT = 60.0

TEXT = """\
# One

- accepted: `one thing`
- accepted: `another`
- layer: `nn.Linear(4, 4)`

```python buggy
import torch
```

```python fixed
pass
```

# Another

- of: `the state`
- needs: `real CUDA`
- accepted: `a thing`

```python fixed
# fixed
```

```python buggy
# buggy
```
"""


@pytest.fixture(scope="module")
def bench() -> Bench:
    return run(WITNESSES.values(), "emulated", LIMIT)


def test_all_default_rules_have_a_witness() -> None:
    have = {each.code for each in WITNESSES.values()}
    assert {rule.code for rule in RULES.values() if not rule.is_opt_in} <= have


def test_titles_name_witnesses() -> None:
    assert len(WITNESSES) == sum(len(witnesses_of(rule)) for rule in RULES.values())


@pytest.mark.parametrize("title", WITNESSES)
def test_emulated_cuda_confirms(title: str, bench: Bench) -> None:
    evidence = bench.evidence(WITNESSES[title])
    assert evidence.verdict == ("needs real CUDA" if title in ON_CUDA else "confirmed"), evidence
    assert evidence.on == "emulated CUDA"


@pytest.mark.parametrize("title", ON_CUDA)
def test_what_needs_cuda_is_not_run_without(title: str, bench: Bench) -> None:
    assert not bench.errors.keys() & {*WITNESSES[title].programs}


@pytest.mark.parametrize("title", WITNESSES)
def test_the_rule_finds_its_witness(title: str) -> None:
    """And would choose that one for it."""
    witness = WITNESSES[title]
    rule = RULES[witness.code]
    found = [each for each in findings(rule, witness.buggy) if each.code == witness.code]
    assert [witness_of(each, witnesses_of(rule)) for each in found] == [witness]
    assert findings(rule, witness.fixed) == []


def test_messages_name_items_as_programs_do() -> None:
    witness = WITNESSES["An optimizer of a layer that is replaced"]
    (found,) = findings(RULES[witness.code], witness.buggy)
    assert "before the parameters of `[0]` are replaced" in found.message


def findings(rule: AnyRule, program: str) -> list[Finding]:
    plan = Plan.of(Settings(extend_select=(rule.code,)), [*RULES.values()])
    found = plan.check("witness.py", program.encode()).findings
    return [e for e in found if e.confidence != "low" or e.code == rule.code]


def test_witnesses_are_read() -> None:
    slots = {"layer": "nn.Linear(4, 4)"}
    first = Witness(
        "ACME001", "One", "import torch\n", "pass\n", ("one thing", "another"), "", slots
    )
    of = "the state"
    second = Witness("ACME001", "Another", "# buggy\n", "# fixed\n", ("a thing",), of, {}, True)
    assert [*parsed("ACME001", TEXT)] == [first, second]


@pytest.mark.parametrize(
    ("part", "missing"),
    [
        ("python buggy", "`buggy` program"),
        ("python fixed", "`fixed` program"),
        ("- accepted", "`accepted` part of a message"),
    ],
)
def test_an_incomplete_witness_is_told(part: str, missing: str) -> None:
    with pytest.raises(RulePackError, match=f"the witness 'One' of ACME001 has no {missing}"):
        list(parsed("ACME001", TEXT.replace(part, "-")))


def test_the_message_of_a_finding_chooses_its_witness() -> None:
    first, second = parsed("ACME001", TEXT.replace("- layer", "- of"))
    found = Finding("ACME001", "acme", "the state of `nn.Linear(4, 4)`", "error", "a.py", START)
    assert witness_of(found, (first, second)) == first
    assert witness_of(found, (second, first)) == second
    assert witness_of(replace(found, message="another"), (first, second)) is None


def test_a_rule_without_a_witness() -> None:
    assert witnesses_of(RULES["DEV801"]) == ()
    assert Bench({}, "2.13.0", None).evidence(None).verdict == "no witness"


def test_a_pack_brings_the_witness_that_the_documentation_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = (ROOT / "rules" / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^````markdown\n(.*?)^````$", document, re.M | re.S)
    (tmp_path / "acme" / "witnesses").mkdir(parents=True)
    (tmp_path / "acme" / "witnesses" / "mixed_sum.md").write_text(shown)
    (tmp_path / "acme" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    class MixedSum(MixedDevices):
        __module__ = "acme.mixed_sum"
        code = "ACME001"
        name = "mixed-sum"

    (witness,) = witnesses_of(MixedSum)
    assert witness.slots == {"operation": "x + y"}
    assert run([witness], "emulated", LIMIT).evidence(witness).verdict == "confirmed"
    MixedSum.__module__ = "mixed_sum"
    assert witnesses_of(MixedSum) == ()


def judged(buggy: str | None, fixed: str | None, cuda: str | None = None) -> Evidence:
    bench = Bench({"buggy": buggy, "fixed": fixed}, "2.13.0", cuda)
    return bench.evidence(Witness("ACME001", "One", "buggy", "fixed", ("same device",)))


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
