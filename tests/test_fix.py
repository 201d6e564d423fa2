"""What fixes make of a file: the finding goes, and nothing else changes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from devlint.event import Combine
from devlint.finding import Edit, Finding, Patch, Safety, Span
from devlint.lower import ir
from devlint.rule import changes
from devlint.rule.problem import Fix, Problem
from devlint.rule.rule import Rule
from devlint.run.check import check
from devlint.run.fix import apart, diff, mended
from devlint.run.plan import Plan

ALL: tuple[Safety, ...] = ("safe", "unsafe")


class MixedSum(Rule[Combine]):
    """Moves the right operand of a sum to the left one."""

    code = "ACME001"
    name = "mixed-sum"
    summary = "operands of a sum are on different devices"
    severity = "error"
    watches = Combine
    safety: Safety = "safe"

    def check(self, event: Combine) -> Iterator[Problem]:
        left, right = event.operands
        if left.value.device.excludes(right.value.device):
            yield Problem(event.node, "mixed", fix=self.fix(left.name, right.node))

    def fix(self, left: str, right: ir.Expression) -> Fix | None:
        return Fix("move it", (changes.moved_to(right, f"{left}.device"),), self.safety)


class UnsafelyMixedSum(MixedSum):
    safety: Safety = "unsafe"


class Useless(MixedSum):
    def fix(self, left: str, right: ir.Expression) -> Fix:
        return Fix("wrap it", (changes.wrapped(right, "torch.abs"),), "safe")


class Failing(MixedSum):
    def fix(self, left: str, right: ir.Expression) -> Fix:
        return Fix("break it", (changes.moved_to(right, ")"),), "safe")


class Eager(MixedSum):
    """Finds two problems, each of which the fix of the other mends."""

    def check(self, event: Combine) -> Iterator[Problem]:
        for problem in super().check(event):
            yield problem
            yield replace(problem, node=event.operands[1].node)


class Dangerous(MixedSum):
    """Its fixes break the file, cannot be written or are none, where the right operand says so."""

    def fix(self, left: str, right: ir.Expression) -> Fix | None:
        change = changes.moved_to(right, f"{left}.device")
        match right:
            case ir.Name(id="late"):
                change = changes.preceded(right, "from __future__ import annotations")
            case ir.Name(id="foreign"):
                change = changes.moved_to(right, "größe")
            case ir.Name(id="worse"):
                change = changes.replaced(right, f"({left} + torch.ones(3)).to({left}.device)")
            case ir.Call():
                return None
        return Fix("move it", (change,), self.safety)


class Twofold(MixedSum):
    """Wants to change two places that are one."""

    def fix(self, left: str, right: ir.Expression) -> Fix:
        return Fix(
            "move it twice", (changes.moved_to(right, "a"), changes.moved_to(right, "b")), "safe"
        )


HEAD = 'import torch\na = torch.ones(3, device="cuda")\nb = torch.ones(3)\n'


def after(
    text: str | bytes, rule: Rule[Any] | None = None, safeties: tuple[Safety, ...] = ALL
) -> bytes:
    """A text after its fixes; a second run must change nothing."""
    data = text.encode() if isinstance(text, str) else text
    rules = [rule or MixedSum()]
    plan = Plan.of_rules(rules, safeties)
    file = mended("a.py", data, check("a.py", data, rules).findings, plan)
    left = check("a.py", file.after, rules).findings
    assert file.left == left
    assert not mended("a.py", file.after, left, plan).is_changed
    assert [each for each in left if each.code != rules[0].code] == []
    return file.after


def test_fix_makes_the_finding_go() -> None:
    assert after(f"{HEAD}c = a + b\n").decode() == f"{HEAD}c = a + b.to(a.device)\n"


def test_finding_has_its_fix() -> None:
    checked = check("a.py", f"{HEAD}c = a + b\n".encode(), [MixedSum()])
    (finding,) = checked.findings
    edit = Edit(Span(None, 4, 10, 4, 10), ".to(a.device)")
    assert finding.fix == Patch("move it", "safe", (edit,))


def test_unsafe_fix_waits_to_be_asked_for() -> None:
    text = f"{HEAD}c = a + b\n"
    assert after(text, UnsafelyMixedSum(), ("safe",)) == text.encode()
    assert after(text, UnsafelyMixedSum()) == after(text)


def test_fixes_that_touch_are_not_applied_at_once() -> None:
    made = after(f"{HEAD}c = a + b\n", Eager()).decode()
    assert made == f"{HEAD}c = a + b.to(a.device)\n"


def test_fix_that_does_not_help_is_undone() -> None:
    text = f"{HEAD}c = a + b\n".encode()
    assert after(text, Useless()) == text
    plan = Plan.of_rules([Useless()])
    (refused,) = mended("a.py", text, check("a.py", text, plan.active).findings, plan).refused
    assert refused.reason == "the finding is still there after it"


@pytest.mark.parametrize(
    ("bad", "reason", "is_fault"),
    [
        ("late", "the file would no longer parse", True),
        ("foreign", "`öß` cannot be written in ascii", False),
        ("worse", "it leads to ACME001 in line 6", False),
    ],
)
@pytest.mark.parametrize("place", range(4))
def test_bad_fix_leaves_the_others_alone(bad: str, reason: str, is_fault: bool, place: int) -> None:
    names = ["b", "b", "b"]
    names.insert(place, bad)
    lines = "".join(f"c = a + {name}\n" for name in names)
    data = f"# coding: ascii\n{HEAD}{bad} = b\n{lines}".encode()
    plan = Plan.of_rules([Dangerous()])
    file = mended("a.py", data, check("a.py", data, plan.active).findings, plan)
    wanted = lines.replace("+ b", "+ b.to(a.device)")
    assert file.after.decode() == f"# coding: ascii\n{HEAD}{bad} = b\n{wanted}"
    (refused,) = file.refused
    assert (refused.reason.replace(str(6 + place), "6"), refused.is_fault) == (reason, is_fault)
    assert refused.finding in file.left
    assert len(file.applied) == 3


def test_changes_that_meet_are_no_fix() -> None:
    (finding,) = check("a.py", f"{HEAD}c = a + b\n".encode(), [Twofold()]).findings
    assert finding.fix is None


def test_fix_that_raises_is_an_internal_error_beside_the_finding() -> None:
    checked = check("a.py", f"{HEAD}c = a + b\n".encode(), [Failing()])
    assert [each.code for each in checked.findings] == ["ACME001", "DEV999"]
    assert "the fix of ACME001" in checked.findings[1].message
    assert "ParserSyntaxError" in checked.traceback


def test_suppressed_finding_is_not_fixed() -> None:
    text = f"{HEAD}c = a + b  # noqa: ACME001\n"
    assert after(text).decode() == text


@pytest.mark.parametrize(
    ("head", "line"),
    [
        (HEAD, "c = a + b  # a comment"),
        (HEAD, "c = (  # one\n    a\n    + b  # two\n)"),
        (HEAD.replace("\n", "\r\n"), "c = a + b"),
        (HEAD.replace("\n", "\r"), "c = a + b"),
        (f"{HEAD}\x0c\nif a:\n\tpass\n\n   \n", "c = a + b"),
        (f"{HEAD}if a:\n\t", "c = a + b"),
        (f"\x0c{HEAD}", "c = a + b"),
        (f"{HEAD}'''\x0b\x1c\u2028'''; ", "c = a + b"),
        (f"# größe: 設計\n{HEAD}größe = '設計'; ", "c = a + b"),
    ],
)
def test_other_bytes_stay_as_they_are(head: str, line: str) -> None:
    for end in ("", "\n", "\r\n"):
        wanted = line.replace("+ b", "+ b.to(a.device)")
        assert after(f"{head}{line}{end}").decode() == f"{head}{wanted}{end}"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "cp1252", "shift_jis", "utf-8"])
def test_encoding_stays_as_it_is(encoding: str) -> None:
    cookie = "" if encoding == "utf-8-sig" else f"# coding: {encoding}\n"
    letters = "設計" if encoding == "shift_jis" else "größe"
    text = f"{cookie}{HEAD}{{}} = '{letters}'\n"
    before = text.format("c = a + b; d").encode(encoding)
    assert after(before) == text.format("c = a + b.to(a.device); d").encode(encoding)


def test_line_that_libcst_changes_is_left_alone() -> None:
    text = f"\x0cimport torch; a = torch.ones(3, device='cuda'); b = torch.ones(3); a + b\n{HEAD}"
    assert after(text).decode() == text


def test_fixes_that_touch_wait() -> None:
    def fixed(*columns: tuple[int, int]) -> Finding:
        edits = tuple(Edit(Span(None, 1, start, 1, end), "x") for start, end in columns)
        return replace(mixed, fix=Patch("", "safe", edits))

    (mixed,) = check("a.py", f"{HEAD}c = a + b\n".encode(), [MixedSum()]).findings
    plan = Plan.of_rules([MixedSum()])
    first, inside, beside, behind = fixed((1, 4)), fixed((2, 3)), fixed((4, 4)), fixed((5, 6))
    both = fixed((5, 5), (9, 9))
    assert apart([first, inside, beside, behind], plan) == [first, behind]
    assert apart([behind, inside, first], plan) == [behind, inside]
    assert apart([first, both, behind], plan) == [first, both]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_diff_is_one_that_patch_can_apply(tmp_path: Path, newline: str, end: str) -> None:
    text = f"# größe\n{HEAD}\x0c\nc = a + b\n\nd = '\x1c'".replace("\n", newline) + end
    data = text.encode("latin-1")
    data = b"# coding: latin-1" + newline.encode() + data
    plan = Plan.of_rules([MixedSum()])
    file = mended("a.py", data, check("a.py", data, plan.active).findings, plan)
    (tmp_path / "a.py").write_bytes(data)
    command = ["git", "apply", "-p0", "--whitespace=nowarn", "-"]
    subprocess.run(command, input=b"".join(diff(file)), cwd=tmp_path, check=True)
    assert (tmp_path / "a.py").read_bytes() == file.after
