"""What the linter says of a program against what its runs have shown."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.finding import Finding
from tests.default_findings import told_alone
from tests.soundness.running import PATH, Run, runs


@dataclass(frozen=True, slots=True)
class Verdict:
    """`false`: errors on lines that ran, and nothing did go wrong there. `silent`: lines that raise
    whenever they are run, of which no finding tells. `raising`: all such lines."""

    errors: int
    false: tuple[str, ...]
    raising: frozenset[int]
    silent: frozenset[int]


def verdict(text: str, events: list[DeviceEvent]) -> Verdict | None:
    """None for a program that goes wrong by itself."""
    try:
        seen = [*runs(text, events)]
    except SyntaxError:
        return None
    if any(run.fault is not None for run in seen):
        return None
    findings = told_alone({PATH: text})
    errors = [each for each in findings if each.severity == "error"]
    raising = frozenset(run.raised for run in seen if always_raises(run.raised, seen))
    silent = frozenset(line for line in raising if not is_told(line, seen, findings))
    false = tuple(f"{e.code} {e.span.line} {e.message}" for e in errors if is_refuted(e, seen))
    return Verdict(len(errors), false, raising, silent)


def always_raises(line: int, seen: Sequence[Run]) -> bool:
    """Whether a line, 0 for none, raises in each run that comes to it."""
    return line != 0 and all(run.raised == line or line not in run.ran for run in seen)


def is_told(line: int, seen: Sequence[Run], findings: Sequence[Finding]) -> bool:
    """Whether a finding tells of what happens there, or of what leads there."""
    involved = set[int]().union(*(run.involved for run in seen if run.raised == line))
    return any(not involved.isdisjoint(lines(each)) for each in findings)


def is_refuted(finding: Finding, seen: Sequence[Run]) -> bool:
    """Whether its line has run to its end, and no run has raised at a line that it tells of."""
    own = range(finding.span.line, finding.span.end_line + 1)
    is_run = any(not run.ran.isdisjoint(own) and run.raised not in own for run in seen)
    return is_run and all(run.refused.isdisjoint(lines(finding)) for run in seen)


def lines(finding: Finding) -> Iterator[int]:
    for span in (finding.span, *(each.span for each in finding.related)):
        yield from range(span.line, span.end_line + 1)


def reduced(text: str, is_wanted: Callable[[str], bool]) -> str:
    """The program with as few statements as do."""
    while (smaller := next((t for t in smaller_ones(text) if is_wanted(t)), None)) is not None:
        text = smaller
    return text


def smaller_ones(text: str) -> Iterator[str]:
    """The program without one of its statements, or with what is in it in its place."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block: object = getattr(node, name, None)
            if isinstance(block, list):
                for left in with_less(block):
                    setattr(node, name, left)
                    yield ast.unparse(tree) + "\n"
                setattr(node, name, block)


def with_less(block: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    for index in reversed(range(len(block))):
        before, after = block[:index], block[index + 1 :]
        yield [*before, *after]
        if isinstance(block[index], (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            yield [*before, *getattr(block[index], "body", ()), *after]
