"""Counts which findings survive when the cases of all specs and pages are cut into modules.

Run as `python -m tests.splitting [--show]` at the root of the repository; exits with 1 below the
bar.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from devlint.lower.limits import RECURSION_LIMIT
from devlint.testing.project_spec import found_in
from tests.laws.examples import Example, examples, rules

from .modules import modules

#: How many of the findings survive at least.
BAR = 0.9


@dataclass(frozen=True)
class Outcome:
    """What is found in a case in one file and in several, by line and code."""

    name: str
    before: Counter[tuple[int, str]]
    after: Counter[tuple[int, str]]

    @property
    def lost(self) -> Counter[tuple[int, str]]:
        return self.before - self.after

    @property
    def noise(self) -> Counter[tuple[int, str]]:
        return self.after - self.before


def outcomes(every: Iterable[Example]) -> Iterator[Outcome]:
    """Of the cases that can be cut."""
    for each in every:
        files = modules(each.code) if each.is_analysed else None
        if files is not None:
            found = found_in(files, rules(), vocabulary=each.vocabulary)
            after = Counter((finding.span.line, finding.code) for finding in found)
            yield Outcome(each.name, each.places, after)


def share(every: Sequence[Outcome]) -> float:
    """How many of the findings survive."""
    before = sum(each.before.total() for each in every)
    return 1 - sum(each.lost.total() for each in every) / max(before, 1)


def main(arguments: Sequence[str]) -> int:
    sys.setrecursionlimit(RECURSION_LIMIT)
    every = list(outcomes(examples()))
    for each in every if "--show" in arguments else ():
        for what, places in (("lost", each.lost), ("noise", each.noise)):
            for line, code in sorted(places.elements()):
                print(f"{what}: {each.name}:{line}: {code}")
    before = sum(each.before.total() for each in every)
    noise = sum(each.noise.total() for each in every)
    print(f"{len(every)} cases, {before} findings, {share(every):.1%} survive, {noise} new ones")
    return int(share(every) < BAR)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
