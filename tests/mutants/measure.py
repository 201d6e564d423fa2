"""What devlint says of mutants, counted by operator and verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from devlint.finding import Finding
from devlint.rule.registry import load_rules
from devlint.rule.rule import Rule
from devlint.run.check import check

from .mutation import Mutant, Operator, Program
from .uses import touched_lines
from .verdicts import Verdict

#: Of the mutants that break, how many are flagged at least.
BAR = 0.85


@dataclass(slots=True)
class Row:
    """The mutants of one operator."""

    mutants: int = 0
    unrunnable: int = 0
    unjudged: int = 0
    breaking: int = 0
    flagged: int = 0
    correct: int = 0
    alarms: int = 0

    def __iadd__(self, other: Row) -> Row:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    @property
    def share(self) -> float | None:
        return self.flagged / self.breaking if self.breaking else None


@dataclass(slots=True)
class Measure:
    rows: dict[str, Row]
    unjudged: list[Mutant] = field(default_factory=list)
    missed: list[tuple[Mutant, Verdict]] = field(default_factory=list)
    false: list[tuple[Mutant, Finding]] = field(default_factory=list)

    @property
    def total(self) -> Row:
        total = Row()
        for row in self.rows.values():
            total += row
        return total

    @property
    def passes(self) -> bool:
        return not self.false and (self.total.share or 0.0) >= BAR


def default_rules() -> list[Rule[Any]]:
    return [rule() for rule in load_rules() if not rule.is_opt_in]


def found(text: str, rules: Sequence[Rule[Any]]) -> tuple[Finding, ...]:
    return check("mutant.py", text.encode(), rules).findings


def is_clean(program: Program, rules: Sequence[Rule[Any]]) -> bool:
    return not found(program.text, rules)


def flags(mutant: Mutant, findings: Iterable[Finding]) -> bool:
    """Whether a finding stands on the changed statement or its use, or names it as related."""
    lines = touched_lines(mutant.program.text, mutant.text)
    return any(lines & set(places(finding)) for finding in findings)


def places(finding: Finding) -> Iterator[int]:
    yield from range(finding.span.line, finding.span.end_line + 1)
    yield from (related.span.line for related in finding.related)


def measured(
    mutants: Iterable[Mutant], verdicts: Mapping[str, Verdict], operators: Sequence[Operator]
) -> Measure:
    rules = default_rules()
    measure = Measure({operator.name: Row() for operator in operators})
    for mutant in mutants:
        row = measure.rows[mutant.operator.name]
        row.mutants += 1
        given = verdicts.get(mutant.digest)
        if given is None:
            row.unjudged += 1
            measure.unjudged.append(mutant)
        elif given.kind == "unrunnable":
            row.unrunnable += 1
        else:
            count(measure, row, mutant, given, found(mutant.text, rules))
    return measure


def count(
    measure: Measure, row: Row, mutant: Mutant, given: Verdict, findings: Sequence[Finding]
) -> None:
    if given.kind == "breaks":
        row.breaking += 1
        if flags(mutant, findings):
            row.flagged += 1
        else:
            measure.missed.append((mutant, given))
        return
    row.correct += 1
    errors = [finding for finding in findings if finding.severity == "error"]
    row.alarms += bool(errors)
    measure.false += ((mutant, finding) for finding in errors)


def table(measure: Measure) -> Iterator[str]:
    columns = "mutants unrunnable unjudged breaking flagged share correct errors".split()
    yield f"{'operator':20}" + "".join(f"{column:>11}" for column in columns)
    for name, row in (*measure.rows.items(), ("all", measure.total)):
        yield f"{name:20}" + "".join(f"{cell:>11}" for cell in cells(row))
    yield f"flagged of those that break: at least {BAR:.0%}; errors on correct ones: none"


def cells(row: Row) -> tuple[object, ...]:
    share = "-" if row.share is None else f"{row.share:.0%}"
    counted = (row.mutants, row.unrunnable, row.unjudged, row.breaking, row.flagged)
    return (*counted, share, row.correct, row.alarms)
