"""Says which of the programs in testdata/written are found: `python -m tests.written [--record]`.

A table by folder, then what is missed and what is said of mended ones. With `--record` the list of
those that are found is written anew, which the tests hold to.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict

from devlint.lower.limits import allow_recursion
from tests.written.programs import FOLDER, programs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    allow_recursion()
    table = defaultdict[str, Counter[str]](Counter)
    found, notes = [], []
    for each in programs():
        counts, seen, alarms = table[each.name.partition("/")[0]], each.found_by, each.alarms
        counts.update(programs=1, found=seen == "default", low=seen == "low", alarmed=bool(alarms))
        if seen == "default":
            found.append(each.name)
        else:
            notes.append(f"{each.name}: {seen or 'missed'}")
        notes += [f"{each.name}: mended, and {a.code} at {a.path}:{a.span.line}" for a in alarms]
    for folder, counts in table.items():
        print(folder, ", ".join(f"{name}: {number}" for name, number in counts.items()))
    print(*notes, sep="\n")
    if options.record:
        (FOLDER / "found.txt").write_text("\n".join([*found, ""]))


main()
