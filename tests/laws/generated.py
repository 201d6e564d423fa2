"""Programs at random in the place of cases: those that are judged by execution, too."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.testing.spec import Case
from tests.soundness.programs import program

from .examples import Example, examples


def generated(seeds: range) -> Iterator[Example]:
    """Every second one goes on with a case, for programs at random have little to fix."""
    plain = [each for each in examples() if each.is_analysed and not each.case.toml]
    cases = [each.code for each in plain if "__future__" not in each.code]
    for seed in seeds:
        more = cases[seed % len(cases)] if seed % 2 else ""
        yield Example(f"seed {seed}", Case(f"seed {seed}", program(seed).text + more))
