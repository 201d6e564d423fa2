"""What `docs/performance.md` tells: CPU time of lints of whole packages, beside other tools.

    python -m tests.benchmarks.measured FOLDER [FOLDER ..] [--rounds 3]

Each folder holds the files of a package and is named after it. Writes `testdata/performance.json`,
and from it the tables of the page; what is not installed is left out. Needs torchvision.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from devlint.testing.table import shown, table
from tests.benchmarks.cpu_ratio import PARSE, cpu_seconds
from tests.benchmarks.emulation_ratio import ratios
from tests.documents import ROOT

RECORD = ROOT / "testdata" / "performance.json"
PAGE = ROOT / "docs" / "performance.md"
LINT = (sys.executable, "-m", "devlint", "check", "--isolated", "-q", "--statistics")
#: Other tools, and what they are asked.
TOOLS: dict[str, tuple[str, ...]] = {
    "ruff": ("ruff", "check", "--no-cache", "-q", "--exit-zero", "--isolated"),
    "TorchFix": ("torchfix", "--select=ALL"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    record = {
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "versions": {name: told(command[0]) for name, command in present().items()},
        "packages": [package(folder.resolve(), given.rounds) for folder in given.folders],
        "emulation": ratios(given.rounds),
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def present() -> dict[str, tuple[str, ...]]:
    """The other tools that are there."""
    return {name: command for name, command in TOOLS.items() if shutil.which(command[0])}


def told(program: str) -> str:
    """The version that a program tells, which comes last."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


def package(folder: Path, rounds: int) -> dict[str, Any]:
    texts = [path.read_bytes() for path in folder.rglob("*.py")]
    steps = {name: median(step, rounds) for name, step in stepped(str(folder))}
    print(folder.name, steps, flush=True)
    lines = sum(text.count(b"\n") for text in texts)
    return {"name": folder.name, "files": len(texts), "lines": lines, "steps": steps}


def stepped(folder: str) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """What is measured, and the command for it, before which all is made ready."""
    cache = tempfile.mkdtemp()
    cached = [*LINT, "--cache-dir", cache, folder]

    def anew() -> list[str]:
        shutil.rmtree(cache, ignore_errors=True)
        return cached

    yield "first run", anew
    yield "nothing changed", lambda: cached
    yield "each file by itself", lambda: [*LINT, "--no-cache", "--no-follow-imports", folder]
    yield "LibCST's parser", lambda: [sys.executable, "-c", PARSE, folder]
    for name, command in present().items():
        yield name, lambda command=command: [*command, folder]  # type: ignore[misc]
    shutil.rmtree(cache, ignore_errors=True)


def median(step: Callable[[], list[str]], rounds: int) -> float:
    """Seconds of CPU."""
    return round(statistics.median(cpu_seconds(step()) for _ in range(rounds)), 2)


def updated(document: str) -> str:
    """The page with the tables of what was measured last."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return shown(shown(document, "measured", packages(record)), "emulated", emulated(record))


def packages(record: dict[str, Any]) -> str:
    every = record["packages"]
    names = dict.fromkeys(name for each in every for name in each["steps"])
    head = ["", *(each["name"] for each in every)]
    rows = [["files, lines", *(f"{each['files']}, {each['lines']:,}" for each in every)]]
    for name in names:
        seconds = (each["steps"].get(name) for each in every)
        told = ("" if each is None else f"{each:.1f}" for each in seconds)
        rows.append([title(name, record), *told])
    when = f"{record['date']}, Python {record['python']}, {record['cores']} cores"
    return f"Measured on {when}.\n\n{table(head, rows)}"


def title(name: str, record: dict[str, Any]) -> str:
    return f"{name} {record['versions'][name]}" if name in TOOLS else name


def emulated(record: dict[str, Any]) -> str:
    rows = [(name, f"{value:.2f}") for name, value in record["emulation"].items()]
    return table(("", ""), rows)


if __name__ == "__main__":
    main()
