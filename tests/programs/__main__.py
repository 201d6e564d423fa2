"""Runs programs on emulated CUDA by `devlint run`, clean and with each of their bugs.

Run as `python -m tests.programs` at the root of the repository, by a Python that has what the
programs import (README.md); exits with 1 below the bars.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.scripts.engine import Event, Outcome, emulated

from .variants import OF_LIBRARIES, TORCH_ALONE, Variant, programs, variants

#: At least these shares of the bugs are caught, and caught with the line that made the culprit.
CAUGHT, BORN = 0.97, 0.95
#: 3: part of what ran was not seen, such as a replayed graph.
_ENDED_WELL = 0, 3


@dataclass(frozen=True, slots=True)
class Result:
    variant: Variant
    outcome: Outcome

    @property
    def first(self) -> Event | None:
        return self.outcome.events[0] if self.outcome.events else None

    @property
    def is_clean(self) -> bool:
        return self.outcome.status in _ENDED_WELL and self.first is None

    @property
    def is_caught(self) -> bool:
        lines = [line for _, line in self.first.stack] if self.first else []
        return self.outcome.status == 1 and self.variant.crash in lines

    @property
    def is_born(self) -> bool:
        lines = {line for _, line in self.first.births} if self.first else set()
        return self.is_caught and bool(lines & set(self.variant.births))

    @property
    def is_right(self) -> bool:
        return self.is_caught and self.is_born if self.variant.bug else self.is_clean


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m tests.programs", description=__doc__)
    parser.add_argument("--only", default="", help="programs with this in their name")
    only = parser.parse_args(arguments).only
    found = [
        each
        for folder in (TORCH_ALONE, OF_LIBRARIES)
        for each in programs(folder)
        if only in each.stem
    ]
    results = []
    for path in found:
        row = [result(variant) for variant in variants(path)]
        print("\n".join(row_lines(row)), flush=True)
        results += row
    return int(not passes(results))


def result(variant: Variant) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / f"{variant.name}.py"
        path.write_text(variant.text, encoding="utf-8")
        return Result(variant, emulated(path, (), path.parent, devices=2, goes_on=False))


def row_lines(row: Sequence[Result]) -> list[str]:
    clean, *bugs = row
    caught, born = sum(each.is_caught for each in bugs), sum(each.is_born for each in bugs)
    events = len(clean.outcome.events)
    line = f"| {clean.variant.name} | {clean.outcome.status} | {events} | {caught} | {born} |"
    wrong = [each for each in row if not each.is_right]
    return [line, *(text for each in wrong for text in _explained(each))]


def _explained(result: Result) -> list[str]:
    told = result.outcome.told.splitlines()[-25:]
    return [f"    bug {result.variant.bug}: {result.first}", *(f"    {line}" for line in told)]


def passes(results: Sequence[Result]) -> bool:
    """Prints the sums."""
    clean = [each.is_clean for each in results if not each.variant.bug]
    bugs = [each for each in results if each.variant.bug]
    caught, born = sum(each.is_caught for each in bugs), sum(each.is_born for each in bugs)
    print(f"{sum(clean)} of {len(clean)} programs clean")
    print(f"of {len(bugs)} bugs {caught} caught, {born} with the line that made the culprit")
    return all(clean) and caught >= CAUGHT * len(bugs) and born >= BORN * len(bugs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
