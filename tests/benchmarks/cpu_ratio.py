"""CPU time of a lint against `libcst.parse_module` over the files that mention torch.

    python tests/benchmarks/cpu_ratio.py FOLDER [--rounds 5]

Both run in processes of their own, in turn; the medians of their CPU seconds are compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

PARSE = """
import sys
from pathlib import Path
import libcst
for path in Path(sys.argv[1]).rglob("*.py"):
    data = path.read_bytes()
    if b"torch" in data:
        libcst.parse_module(data)
"""


def cpu_seconds(command: list[str]) -> float:
    """User and system time of one run, which may end in 0 or, with findings, in 1."""
    before = os.times()
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    after = os.times()
    if status not in (0, 1):
        raise SystemExit(f"{' '.join(command[:4])} ended in {status}")
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    lint = [sys.executable, "-m", "devlint", "check", "--isolated", given.folder]
    parse = [sys.executable, "-c", PARSE, given.folder]
    lints, parses = [], []
    for _ in range(given.rounds):
        lints.append(cpu_seconds(lint))
        parses.append(cpu_seconds(parse))
    lint_median, parse_median = statistics.median(lints), statistics.median(parses)
    print(f"lint   {lint_median:6.2f} s  ({min(lints):.2f} to {max(lints):.2f})")
    print(f"parse  {parse_median:6.2f} s  ({min(parses):.2f} to {max(parses):.2f})")
    print(f"ratio  {lint_median / parse_median:6.2f}")


if __name__ == "__main__":
    main()
