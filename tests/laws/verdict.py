"""What came out of a law: how many cases held it, and which break it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .examples import Example
from .law import Law

HEAD = ("law", "cases", "excluded", "held", "failed")


@dataclass(slots=True)
class Verdict:
    """`broken` are the faults of the cases that fail."""

    law: str
    excluded: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    broken: dict[str, list[str]] = field(default_factory=dict)

    def errors(self, reasons: Mapping[str, str]) -> Iterator[str]:
        """Where a case does not do as the list says, which has the reasons of those that fail."""
        for case in sorted(self.broken.keys() - reasons):
            yield f"{self.law}: {case}: fails and is not listed: {'; '.join(self.broken[case])}"
        for case in sorted(self.held & reasons.keys()):
            yield f"{self.law}: {case}: is listed as failing and holds"
        for case in sorted(self.excluded & reasons.keys()):
            yield f"{self.law}: {case}: is listed as failing, and the law does not apply"

    def row(self) -> tuple[str, ...]:
        applied = len(self.held) + len(self.broken)
        numbers = (applied, len(self.excluded), len(self.held), len(self.broken))
        return (self.law, *map(str, numbers))


def verdict(law: Law, examples: Sequence[Example]) -> Verdict:
    result = Verdict(law.name)
    for example, faults in law.outcomes(examples):
        if faults:
            result.broken[example.name] = list(faults)
        else:
            (result.excluded if faults is None else result.held).add(example.name)
    return result


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for first, *numbers in (HEAD, *(each.row() for each in verdicts)):
        yield f"{first:18}" + "".join(f"{number:>10}" for number in numbers)
