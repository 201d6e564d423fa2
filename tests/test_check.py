"""One file from bytes to findings, with rules and events of the test's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import Mock

import pytest

from devlint.finding import Severity, Span
from devlint.lower import from_ast, from_cst, ir
from devlint.rule.problem import Problem
from devlint.rule.rule import Rule
from devlint.run.check import Checked, check

HEAD = "import torch\ndevice = 1\n"


@dataclass(frozen=True)
class Reveal:
    node: ir.Call


def events(module: ir.Module, *given: object) -> Iterator[object]:
    """A `Reveal` for each `reveal_device(..)` statement; `crash()` is an error of the analysis."""
    for statement in module.body:
        if isinstance(statement, ir.Evaluate) and isinstance(statement.value, ir.Call):
            call = statement.value
            if isinstance(call.func, ir.Name) and call.func.id == "crash":
                raise KeyError("analysis")
            yield Reveal(call)


@pytest.fixture(autouse=True)
def own_events(monkeypatch: pytest.MonkeyPatch) -> None:
    program = SimpleNamespace(events=events)
    monkeypatch.setitem(sys.modules, "devlint.interpret.language.program", program)


class Seen(Rule[Reveal]):
    code, name, summary = "DEV201", "seen", "seen"
    severity: ClassVar[Severity] = "error"
    watches: ClassVar[type] = Reveal

    def check(self, event: Reveal) -> Iterator[Problem]:
        argument = event.node.args[0]
        yield Problem(argument, "seen", related=((event.node, "in this call"),))


class Watched(Seen):
    """Sees the same fault at another place."""

    code, name, precedence = "DEV101", "watched", 10

    def check(self, event: Reveal) -> Iterator[Problem]:
        yield Problem(event.node, "watched", fault=event.node.args[0])


def foreign(**attributes: object) -> Rule[Any]:
    """A rule of another pack that sees the same fault."""
    its_own = {"__module__": "acme_rules.foreign", "code": "ACME1", **attributes}
    rule: type[Rule[Any]] = type("Foreign", (Watched,), its_own)
    return rule()


class Twice(Seen):
    code = "DEV301"

    def check(self, event: Reveal) -> Iterator[Problem]:
        yield from (Problem(event.node, "once", severity="note") for _ in range(2))


class Broken(Seen):
    code = "DEV401"

    def check(self, event: Reveal) -> Iterator[Problem]:
        yield Problem(event.node, "before")
        raise ValueError("rule")


class Endless(Seen):
    def check(self, event: Reveal) -> Iterator[Problem]:
        yield from self.check(event)


class Unwatched(Seen):
    watches = int


def checked(text: str, *rules: Rule[Any], screen: bool = True) -> Checked:
    return check("a.py", text.encode(), rules, screen=screen)


def codes(outcome: Checked) -> list[tuple[str, int]]:
    return [(finding.code, finding.span.line) for finding in outcome.findings]


@pytest.mark.parametrize("screen", [True, False])
def test_finding_has_spans_and_related_places(screen: bool) -> None:
    text = HEAD + "\treveal_device(été,\n  x)\n".lstrip()
    [finding] = checked(text, Seen(), screen=screen).findings
    assert finding.span == Span(None, 3, 15, 3, 18)
    assert (finding.path, finding.name, finding.severity) == ("a.py", "seen", "error")
    [related] = finding.related
    assert related.span == Span(None, 3, 1, 4, 5)
    assert (related.path, related.message) == ("a.py", "in this call")


def test_rule_gets_only_the_events_it_watches() -> None:
    assert checked(HEAD + "reveal_device(x)\n", Unwatched()).findings == ()


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("device = 1\nreveal_device(x)\n", "passed"),
        ("import torchvision\nreveal(x)\n", "passed"),
        (HEAD, "screened"),
        (HEAD + "reveal_device(x)\n", "decided"),
    ],
)
def test_file_goes_no_further_than_it_must(text: str, stage: str) -> None:
    assert checked(text, Seen()).stage == stage


@pytest.mark.parametrize(
    "seed",
    [
        "x.cuda()",
        "x.to(y)",
        "x.to (y)",
        "nn.Linear(1, 1, device=d)",
        "torch.Generator()",
        "torch.manual_seed(0)",
        "from torch import save",
        "torch.load(p)",
        "x.xpu()",
        "load_url(u)",
    ],
)
def test_prefilter_keeps_every_seed(seed: str) -> None:
    assert checked(f"import torchvision\n{seed}\n", Seen()).stage != "passed"


@pytest.mark.parametrize(
    "line", ["import torch as th", "import numpy, torch.nn", "    from torch.nn import Module"]
)
def test_prefilter_keeps_what_imports_torch(line: str) -> None:
    assert checked(f"if True:\n    pass\n{line.strip()}\n", Seen()).stage != "passed"


def test_prefilter_leaves_out_what_only_mentions_torch() -> None:
    assert checked('name = "torch"\n', Seen()).stage == "passed"


@pytest.mark.parametrize("screen", [True, False])
def test_clean_file_needs_libcst_only_without_the_screen(
    screen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower = Mock(wraps=from_cst.lower)
    monkeypatch.setattr(from_cst, "lower", lower)
    assert checked(HEAD, Seen(), screen=screen).findings == ()
    assert lower.called is not screen


def test_fault_seen_by_several_rules_is_told_by_the_first() -> None:
    text = HEAD + "reveal_device(x)\nreveal_device(y)\n"
    assert codes(checked(text, Seen(), Watched())) == [("DEV101", 3), ("DEV101", 4)]


@pytest.mark.parametrize(
    ("attributes", "found"),
    [
        ({}, ["ACME1", "DEV201"]),
        ({"masks": ("DEV201",)}, ["ACME1"]),
        ({"masks": ("DEV201",), "precedence": 60}, ["ACME1", "DEV201"]),
    ],
)
def test_rule_masks_those_of_other_packs_only_if_it_says_so(
    attributes: dict[str, object], found: list[str]
) -> None:
    outcome = checked(HEAD + "reveal_device(x)\n", Seen(), foreign(**attributes))
    assert sorted(code for code, _ in codes(outcome)) == found


def test_rule_is_masked_in_its_own_pack_whatever_another_pack_says() -> None:
    rules = Seen(), Watched(), foreign(masks=("DEV101",))
    outcome = checked(HEAD + "reveal_device(x)\n", *rules)
    assert codes(outcome) == [("ACME1", 3)]


def test_same_problem_twice_is_one_finding_with_its_own_severity() -> None:
    [finding] = checked(HEAD + "reveal_device(x)\n", Twice()).findings
    assert finding.severity == "note"


def test_findings_are_sorted_by_place_and_code() -> None:
    text = HEAD + "reveal_device(x)\nreveal_device(y)\n"
    places = codes(checked(text, Seen(), Twice()))
    assert places == [("DEV301", 3), ("DEV201", 3), ("DEV301", 4), ("DEV201", 4)]


def test_comment_suppresses() -> None:
    text = HEAD + "reveal_device(x)  # noqa: DEV201\nreveal_device(\n    y)  # noqa\n"
    assert checked(text, Seen()).findings == ()


def test_ignored_file_is_not_analysed() -> None:
    outcome = checked(HEAD + "def (:\n# devlint: ignore-file\n", Seen())
    assert (outcome.findings, outcome.stage) == ((), "passed")


def test_crash_of_a_rule_is_a_finding_and_other_rules_go_on() -> None:
    text = HEAD + "reveal_device(x)\nreveal_device(y)\n"
    outcome = checked(text, Broken(), Seen())
    assert codes(outcome) == [("DEV401", 3), ("DEV999", 3), ("DEV201", 3), ("DEV201", 4)]
    assert "internal error in DEV401: ValueError: rule" in [f.message for f in outcome.findings]
    assert 'raise ValueError("rule")' in outcome.traceback


def test_crash_of_the_analysis_keeps_what_was_found_before() -> None:
    outcome = checked(HEAD + "reveal_device(x)\ncrash()\n", Seen())
    assert codes(outcome) == [("DEV999", 1), ("DEV201", 3)]
    assert "KeyError" in outcome.findings[0].message


@pytest.mark.parametrize(("front_end", "line"), [(from_ast, 1), (from_cst, 1)])
def test_crash_of_a_front_end_is_a_finding(
    front_end: Any, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lower(text: str) -> None:
        raise KeyError("node")

    monkeypatch.setattr(front_end, "lower", lower)
    assert codes(checked(HEAD + "reveal_device(x)\n", Seen())) == [("DEV999", line)]


def test_crash_of_the_screen_alone_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    original = from_cst.lower
    calm = HEAD + "reveal_device(x)\n"
    monkeypatch.setattr(from_cst, "lower", lambda text: original(text.replace("crash", "calm")))
    assert codes(checked(calm + "crash()\n", Unwatched())) == [("DEV999", 1)]


@pytest.mark.parametrize("screen", [True, False])
def test_syntax_error_is_an_unreadable_file(screen: bool) -> None:
    [finding] = checked(HEAD + "def f(:\n    pass\n", Seen(), screen=screen).findings
    assert (finding.code, finding.span.line) == ("DEV902", 3)
    assert finding.message.startswith("cannot parse: ")
    assert finding.message.endswith(", line 3")


def test_undecodable_file_is_unreadable() -> None:
    [finding] = check("a.py", b"x = '\xe9'\n", [Seen()]).findings
    assert (finding.code, finding.severity) == ("DEV902", "error")
    assert "not valid utf-8" in finding.message


def test_syntax_newer_than_this_python_is_decided_by_libcst(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lower(text: str) -> None:
        raise SyntaxError("too new")

    monkeypatch.setattr(from_ast, "lower", lower)
    assert codes(checked(HEAD + "reveal_device(x)\n", Seen())) == [("DEV201", 3)]


@pytest.mark.parametrize("screen", [True, False])
def test_what_libcst_cannot_parse_is_found_without_fixes(
    monkeypatch: pytest.MonkeyPatch, screen: bool
) -> None:
    import libcst

    def lower(text: str) -> None:
        raise libcst.ParserSyntaxError("no", lines=[""], raw_line=1, raw_column=0)

    monkeypatch.setattr(from_cst, "lower", lower)
    remark, finding = checked(HEAD + "reveal_device(x)\n", Seen(), screen=screen).findings
    assert (remark.code, remark.severity) == ("DEV903", "note")
    assert remark.message.startswith("checked, but no fixes are made: LibCST cannot")
    assert (finding.code, finding.span.line) == ("DEV201", 3)
    # What this Python cannot parse either is skipped.
    monkeypatch.setattr(from_ast, "lower", lambda text: compile("(", "", "exec"))
    [fault] = checked(HEAD + "reveal_device(x)\n", Seen(), screen=screen).findings
    assert fault.code == "DEV902"


NESTED = "x = " + "(" * 2_000 + ")" * 2_000 + "\n"
SUM = "x = " + " + ".join(["a"] * 20_000) + "\n"


@pytest.mark.parametrize("screen", [True, False])
@pytest.mark.parametrize("text", [NESTED, SUM], ids=["nested", "sum"])
def test_absurd_file_is_skipped(text: str, screen: bool) -> None:
    first, *others = checked(HEAD + text + "reveal_device(x)\n", Seen(), screen=screen).findings
    assert (first.code, first.severity) == ("DEV903", "note")
    # Some versions of Python parse a long sum.
    assert others == [] or "checked, but no fixes are made" in first.message


def test_endless_recursion_is_skipped() -> None:
    [finding] = checked(HEAD + "reveal_device(x)\n", Endless()).findings
    assert (finding.code, finding.message) == ("DEV903", "nested too deeply to analyse")
