"""Measures devlint on seeded mutants of correct programs.

Run as `python -m tests.mutants [FOLDER...]` at the root of the repository; exits with 1 below the
bars. With `--verdicts COMMAND` the mutants are run first, each as `COMMAND driver.py PROGRAM`, and
what that says is written to the facts, where a verdict by hand stays.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .measure import Measure, default_rules, is_clean, measured, table
from .mutation import Mutant, Program, mutants
from .operators import OPERATORS
from .programs import ROOT, programs
from .verdicts import Verdict, judged, read, written

FACTS = ROOT / "testdata" / "mutants.jsonl"


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments)
    facts = read(options.facts) if options.facts.exists() else {}
    clean, unclean = sorted_out(options.folders)
    every = list(seeded(clean, set(options.operator)))
    if options.verdicts:
        facts = renewed(every, facts, shlex.split(options.verdicts), options.judge)
        known = [mutant for mutant in every if mutant.digest in facts]
        lines = [written(mutant, facts[mutant.digest]) for mutant in known]
        options.facts.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    measure = measured(every, facts, OPERATORS)
    print("\n".join(table(measure)))
    for program in unclean:
        print(f"left out, has findings: {program}")
    if options.verbose:
        print("\n".join(details(measure)))
    return int(not measure.passes)


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.mutants", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--facts", type=Path, default=FACTS, help="a JSON Lines file")
    parser.add_argument("--operator", action="append", default=[], help="only this one")
    parser.add_argument("--verdicts", metavar="COMMAND", help="runs Python where CUDA is")
    parser.add_argument("--judge", default="emulation", help="what COMMAND is called in the facts")
    parser.add_argument("-v", "--verbose", action="store_true", help="list what is missed or false")
    options = parser.parse_args(arguments)
    if options.verdicts and options.operator:
        parser.error("the facts are of all operators")
    return options


def sorted_out(folders: Iterable[Path]) -> tuple[list[Program], list[Program]]:
    """The programs that devlint has nothing to say of, and the others."""
    rules = default_rules()
    clean: list[Program] = []
    unclean: list[Program] = []
    for program in programs(folders):
        (clean if is_clean(program, rules) else unclean).append(program)
    return clean, unclean


def seeded(programs: Iterable[Program], names: set[str]) -> Iterator[Mutant]:
    """Each text once."""
    chosen = [each for each in OPERATORS if not names or each.name in names]
    seen: set[str] = set()
    for program in programs:
        for mutant in mutants(program, chosen):
            if mutant.digest not in seen:
                seen.add(mutant.digest)
                yield mutant


def renewed(
    every: Iterable[Mutant], facts: dict[str, Verdict], command: Sequence[str], judge: str
) -> dict[str, Verdict]:
    """Verdicts by hand stand, as do those on mutants that did not change."""
    fresh = [mutant for mutant in every if mutant.digest not in facts]
    return facts | {mutant.digest: given for mutant, given in judged(fresh, command, judge)}


def details(measure: Measure) -> Iterator[str]:
    yield from (f"unjudged: {mutant} {mutant.digest}" for mutant in measure.unjudged)
    yield from (f"missed: {mutant}: {given.why}" for mutant, given in measure.missed)
    for mutant, finding in measure.false:
        yield f"false: {mutant}: {finding.code} {finding.span.line} {finding.message}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
