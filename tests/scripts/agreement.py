"""What the linter says of the scripts beside what the dry runs say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .engine import Found
from .facts import explanations
from .measure import Catch, Comparison


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`side`: who alone saw a fault; `what`: the line that crashes, or the code and its line."""

    script: str
    side: str
    what: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.side} only, {self.script}: {self.what}: {self.why or 'UNEXPLAINED'}"


@dataclass(frozen=True, slots=True)
class Agreement:
    """`agreed`: how many device events the linter saw."""

    agreed: int
    disagreements: tuple[Disagreement, ...]

    @property
    def is_explained(self) -> bool:
        return all(each.why for each in self.disagreements)

    def lines(self) -> Iterator[str]:
        sides = [each.side for each in self.disagreements]
        numbers = ", ".join(f"{sides.count(side)} {side} only" for side in ("dynamic", "static"))
        yield f"linter and dry runs: {self.agreed} events seen by both, {numbers}"
        yield from map(str, self.disagreements)


def agreement(comparisons: Sequence[Comparison], catches: Sequence[Catch]) -> Agreement:
    """Of the clean scripts, and of those with a bug; a bug that no dry run caught is left out."""
    before = {each.script.name: each.emulated.found for each in comparisons}
    events = [each for each in catches if each.outcome.events]
    unseen = [each for each in events if not _is_seen(each)]
    found = [(name, each) for name, all_ in before.items() for each in all_]
    for catch in catches:
        known = {(each.code, each.line) for each in before.get(catch.injection.script, ())}
        new = [each for each in catch.found if (each.code, each.line) not in known]
        found += [(catch.injection.script, each) for each in new]
    sides = [("dynamic", each.injection.script, each.injection.crash) for each in unseen]
    sides += [("static", name, _told(each)) for name, each in found if not each.is_confirmed]
    told = dict.fromkeys(sides)
    return Agreement(len(events) - len(unseen), tuple(_explained(*each) for each in told))


def _is_seen(catch: Catch) -> bool:
    return any(each.is_confirmed for each in catch.outcome.found)


def _told(found: Found) -> str:
    return f"{found.code} {found.line} ({found.verdict})"


def _explained(side: str, script: str, what: str) -> Disagreement:
    reasons = (each.why for each in explanations() if each.fits(side, script, what))
    return Disagreement(script, side, what, next(reasons, ""))
