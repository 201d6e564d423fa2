"""Runs: with a cache or without, in one process or several, the same is found in every file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .examples import ROOT, Example
from .law import Law, Outcomes

#: A worker is worth its while from the first byte on.
PROGRAM = """\
import sys
import devlint.run.workers.count as count
from devlint.cli import main
count.EACH = 1
if __name__ == "__main__":
    main()
"""
ALL = ("--isolated", "--select", "ALL", "--confidence", "low", "--output-format", "json")
ALONE = ("--no-cache", "--jobs", "1")
Found = dict[str, list[Any]]


def outcomes(examples: Sequence[Example]) -> Outcomes:
    """Cases with settings are left out, for a folder has those of all its files."""
    chosen = [each for each in examples if each.is_analysed and not each.case.toml]
    names = {each.name: f"program_{number}.py" for number, each in enumerate(chosen)}
    with TemporaryDirectory() as folder:
        for each in chosen:
            Path(folder, names[each.name]).write_text(each.code, encoding="utf-8")
        ways = compared(Path(folder)) if chosen else {}
    for each in examples:
        name = names.get(each.name, "")
        yield each, [way for way, differ in ways.items() if name in differ] if name else None


LAW = Law("runs", outcomes)


def compared(folder: Path) -> dict[str, set[str]]:
    """For each way to run, the files in which it finds something else."""
    alone = found(folder, *ALONE)
    ways = {
        "several processes": found(folder, "--no-cache", "--jobs", "3"),
        "an empty cache": found(folder),
        "a full cache": found(folder),
        "the cache of another run": found(folder, "program_0.py", ".", "--jobs", "3"),
    }
    differ = {way: unlike(alone, there) for way, there in ways.items()}
    for path in sorted(folder.glob("*.py"))[::2]:
        path.write_text(f"# changed\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    return {**differ, "a cache of before": unlike(found(folder, *ALONE), found(folder))}


def found(folder: Path, *options: str) -> Found:
    paths = () if "." in options else (".",)
    command = [sys.executable, "-c", PROGRAM, "check", *ALL, *options, *paths]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'rules'}"}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr.decode()
    by_file: Found = defaultdict(list)
    for each in json.loads(ran.stdout):
        by_file[each["path"]].append(each)
    return by_file


def unlike(one: Found, other: Found) -> set[str]:
    return {path for path in one.keys() | other.keys() if one.get(path) != other.get(path)}
