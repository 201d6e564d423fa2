"""Runs public training scripts plain and on emulated CUDA, and with bugs put into them.

Run as `python -m tests.scripts FOLDER` at the root of the repository, by a Python that has what the
scripts import (README.md); exits with 1 below the bars.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .agreement import agreement
from .facts import injections, scripts
from .measure import Catch, Comparison, caught, compared, geometric_mean

#: At least this share of the bugs is caught, and so much CPU time is taken at most.
SHARE, RATIO = 0.95, 1.4


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments)
    known = {each.name: each for each in scripts() if options.only in each.name}
    bugs = [each for each in injections() if each.script in known and options.injections]
    comparisons, catches = [], []
    for script in known.values() if options.rounds else ():
        comparisons.append(compared(script, options.folder, options.rounds))
        print("\n".join(comparison_lines(comparisons[-1])), flush=True)
    for bug in bugs:
        catches.append(caught(bug, known[bug.script], options.folder))
        print("\n".join(catch_lines(catches[-1])), flush=True)
    together = agreement(comparisons, catches)
    print("\n".join(together.lines()))
    return int(not (passes(comparisons, catches) and together.is_explained))


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.scripts", description=__doc__)
    parser.add_argument("folder", type=Path, help="has a clone OWNER+NAME of each repository")
    parser.add_argument("--only", default="", help="scripts with this in their name")
    parser.add_argument("--rounds", type=int, default=3, help="of CPU time; 0: only injections")
    parser.add_argument("--no-injections", dest="injections", action="store_false")
    return parser.parse_args(arguments)


def comparison_lines(found: Comparison) -> list[str]:
    statuses = f"plain {found.plain.status}, emulated {found.emulated.status}"
    events = f"{len(found.emulated.events)} events"
    seconds = "{:5.1f} s, {:5.1f} s".format(*found.seconds)
    loads = {None: "", True: ", checkpoint loads", False: ", checkpoint does not load"}
    line = f"{found.script.name:34}{statuses}, {events}, {seconds}, x{found.ratio:.2f}"
    told = [] if found.is_clean else [*_end(found.plain.told), *_end(found.emulated.told)]
    return [line + loads[found.loads], *told]


def _end(told: str) -> list[str]:
    return [f"    {line}" for line in told.splitlines()[-12:]]


def catch_lines(found: Catch) -> list[str]:
    verdict = "right" if found.is_caught else "WRONG"
    injection = found.injection
    line = f"{injection.script:34}{verdict} (crash {found.crash}, born {found.born})"
    line += f": {injection.crash or 'a look-alike'}"
    return [
        line,
        *([] if found.is_caught else [f"    {each}" for each in _end(found.outcome.told)]),
    ]


def passes(comparisons: Sequence[Comparison], catches: Sequence[Catch]) -> bool:
    """Prints the sums."""
    clean, ratio = sum(each.is_clean for each in comparisons), 1.0
    if comparisons:
        ratio = geometric_mean([each.ratio for each in comparisons])
        print(f"{clean} of {len(comparisons)} scripts clean, CPU time x{ratio:.2f}")
    bugs = [each.is_caught for each in catches if each.injection.crash]
    others = [each.is_caught for each in catches if not each.injection.crash]
    if catches:
        print(f"{sum(bugs)} of {len(bugs)} bugs caught")
        print(f"{sum(others)} of {len(others)} look-alikes clean")
    is_sharp = sum(bugs) >= SHARE * len(bugs) and all(others)
    return clean == len(comparisons) and is_sharp and ratio <= RATIO


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
