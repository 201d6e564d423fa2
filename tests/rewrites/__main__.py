"""Tries on the cases of all specs and rule pages which findings survive rewritings.

Run as `python -m tests.rewrites` at the root of the repository. A rewriting changes nothing in what
a program does, so the findings stay, and what is silent stays silent. It prints for each rewriting
how many cases with findings it applies to, to how many silent ones, and how many of the findings
survive; exits with 1 below the bars, or if there is noise that `exceptions.toml` does not list.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence

from devlint.lower.limits import RECURSION_LIMIT
from tests.laws.examples import examples

from .program import programs
from .rewriting import REWRITINGS
from .score import Outcome, Score, outcomes


def main(arguments: Sequence[str]) -> int:
    sys.setrecursionlimit(RECURSION_LIMIT)
    options = parsed(arguments)
    chosen = list(programs(each for each in examples() if options.case in each.name))
    rewritings = [each for each in REWRITINGS if options.rewriting in each.name]
    score = Score(chosen, list(outcomes(chosen, rewritings)))
    if options.show:
        print("\n".join(shown(score.outcomes)))
    if options.verbose:
        print("\n".join(details(score.outcomes)))
    print("\n".join(score.table()))
    return int(not score.passes)


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.rewrites", description=__doc__)
    parser.add_argument("--rewriting", metavar="WORD", default="", help="only those named so")
    parser.add_argument("--case", metavar="WORD", default="", help="only cases with it in the name")
    parser.add_argument("--show", action="store_true", help="print the rewritten code")
    parser.add_argument("-v", "--verbose", action="store_true", help="list what is lost, and noise")
    options = parser.parse_args(arguments)
    if not any(options.rewriting in each.name for each in REWRITINGS):
        parser.error(f"no such rewriting; there are {', '.join(e.name for e in REWRITINGS)}")
    return options


def shown(outcomes: Iterable[Outcome]) -> Iterator[str]:
    for each in outcomes:
        yield f"# {each.rewriting.name}: {each.program.name}\n{each.text}\n"


def details(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """What was lost of what is to stay, and what silent cases and others have more."""
    for each in outcomes:
        what = {"lost": each.lost, "noise": each.noise}
        if not each.program.is_silent:
            what["added"] = each.added
        for word, places in what.items():
            for line, code in sorted(places.elements()):
                yield f"{word}: {each.rewriting.name}: {each.program.name}: {code} line {line}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
