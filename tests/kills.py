"""Kills devlint at any moment while it writes, and looks at what is left.

Run as `python -m tests.kills [--count 200] [--seed 0]` at the root of the repository. Each round
has a folder with files that can be fixed, and kills `devlint --fix` or a run that fills the cache.
Exits with 1 if a file is neither the old nor the new one, or the next run finds something else.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.faults.running import CONCISE, FIXED, TEXT

FILES = 8
LONGEST = 1.2
_DEVLINT = [sys.executable, "-m", "devlint"]
Told = tuple[int, bytes]


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance, count, faults = random.Random(options.seed), Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as root:
        expected = alone(Path(root, "alone"))
        for number in range(options.count):
            folder = Path(root, str(number))
            fixes = number % 2 == 0
            count[killed(folder, fixes=fixes, after=chance.uniform(0.05, LONGEST))] += 1
            faults += [f"round {number}: {each}" for each in harm(folder, expected[fixes])]
    print(", ".join(f"{name}: {times}" for name, times in sorted(count.items())))
    print("\n".join(faults) or "nothing half-written, nothing lost")
    return int(bool(faults))


def alone(folder: Path) -> dict[bool, Told]:
    """What is told of the files as they are, and after they were fixed."""
    prepare(folder)
    plain = told(folder, "--no-cache")
    told(folder, "--no-cache", "--fix")
    return {False: plain, True: told(folder, "--no-cache")}


def prepare(folder: Path) -> None:
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.py").write_text(TEXT)


def told(folder: Path, *options: str) -> Told:
    ran = subprocess.run([*_DEVLINT, *CONCISE, *options, "."], cwd=folder, capture_output=True)
    return ran.returncode, ran.stdout + ran.stderr


def killed(folder: Path, *, fixes: bool, after: float) -> str:
    """What was going on then."""
    prepare(folder)
    command = [*_DEVLINT, *CONCISE, *(["--fix"] if fixes else []), "."]
    with subprocess.Popen(command, cwd=folder, stdout=-1, stderr=-1) as running:
        time.sleep(after)
        running.kill()
        running.communicate()
    what = "fix" if fixes else "cache"
    return f"{what} killed" if running.returncode < 0 else f"{what} done before"


def harm(folder: Path, expected: Told) -> Iterator[str]:
    for path in folder.glob("*.py"):
        if path.read_text() not in (TEXT, FIXED):
            yield f"{path.name} is half-written"
    if len([*folder.glob("*.py")]) != FILES:
        yield "a file is lost"
    if expected[1].count(b"DEV203") == 0:
        told(folder, "--fix")
    if told(folder) != expected:
        yield "the next run finds something else"


if __name__ == "__main__":
    sys.exit(main())
