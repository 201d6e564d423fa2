"""Tries the laws of the analysis on the cases of all specs and rule pages, or on random programs.

Run as `python -m tests.laws [--generated 1000 [--seed 0]]` at the root of the repository. It prints
how many cases each law applies to and which fail; exits with 1 if a case fails that `failing.toml`
does not list, or if one holds by now that it lists.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence

from devlint.lower.limits import RECURSION_LIMIT

from .examples import examples
from .generated import generated
from .laws import LAWS
from .register import register
from .verdict import Verdict, table, verdict


def main(arguments: Sequence[str]) -> int:
    sys.setrecursionlimit(RECURSION_LIMIT)
    options = parsed(arguments)
    seeds = range(options.seed, options.seed + options.generated)
    every = generated(seeds) if options.generated else examples()
    chosen = [each for each in every if options.case in each.name]
    verdicts = [verdict(law, chosen) for law in LAWS if options.law in law.name]
    return report(verdicts)


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.laws", description=__doc__)
    parser.add_argument("--law", metavar="WORD", default="", help="only laws with it in the name")
    parser.add_argument("--case", metavar="WORD", default="", help="only cases with it in the name")
    parser.add_argument("--generated", metavar="N", type=int, default=0, help="as many programs")
    parser.add_argument("--seed", type=int, default=0, help="of the first of them")
    options = parser.parse_args(arguments)
    if not any(options.law in law.name for law in LAWS):
        parser.error(f"no such law; there are {', '.join(law.name for law in LAWS)}")
    return options


def report(verdicts: Sequence[Verdict]) -> int:
    """Print the table and the failures. 1 if they are not those that are listed."""
    known = register()
    lines, errors = [*table(verdicts), ""], list[str]()
    for each in verdicts:
        reasons = known.reasons(each.law)
        lines += listed(each, reasons)
        errors += each.errors(reasons)
    print("\n".join([*lines, *errors]))
    return int(bool(errors))


def listed(verdict: Verdict, reasons: Mapping[str, str]) -> Iterator[str]:
    """The cases that fail as they are known to."""
    for case in sorted(verdict.broken.keys() & reasons.keys()):
        yield f"{verdict.law}: {case}: {reasons[case]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
