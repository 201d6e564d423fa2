"""Environments that lack what devlint would ask for, or have too much."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.faults.running import CONCISE, FIXED, TEXT, devlint, is_whole, said, shell

BARE = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ENVIRONMENTS: dict[str, Mapping[str, str]] = {
    "nothing": BARE,
    "no home": {**BARE, "PATH": os.defpath},
    "a home that is not there": {**BARE, "HOME": "/nonexistent"},
    "a home that is a file": {**BARE, "HOME": "/dev/null"},
    "ASCII": {**BARE, **ASCII},
    "ASCII on every stream": {**BARE, "PYTHONIOENCODING": "ascii"},
    "Latin-1": {**BARE, "PYTHONIOENCODING": "latin-1", "LC_ALL": "de_DE"},
    "no folder for temporary files": {**BARE, "TMPDIR": "/nonexistent"},
    "no width": {**BARE, "COLUMNS": "none", "LINES": "0", "TERM": "none"},
    "no settings": {**BARE, "XDG_CONFIG_HOME": "/dev/null/x", "XDG_CACHE_HOME": "/dev/null/x"},
    "no programs": {**BARE, "PATH": ""},
    "a megabyte": {**BARE, **{f"VARIABLE_{i}": "x" * 100_000 for i in range(10)}},
    "thousands": {**BARE, **{f"VARIABLE_{i}": "x" for i in range(5_000)}},
    "a time zone that is none": {**BARE, "TZ": "Nowhere/" + "x" * 1_000},
}
SPECIAL = "ü\u2028☃"


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_same_is_found_in_any(name: str) -> None:
    Path(f"{SPECIAL}.py").write_text(TEXT.replace("y", "ü"), encoding="utf-8")
    command = [sys.executable, "-m", "devlint", "--output-format=full", "--fix", "."]
    ran = subprocess.run(command, env=ENVIRONMENTS[name], capture_output=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert ran.stdout.count(b"DEV401") == 3
    assert Path("a.py").read_text() == FIXED
    assert Path(f"{SPECIAL}.py").read_text(encoding="utf-8") == FIXED.replace("y", "ü")


def limited(kind: int, most: int) -> None:
    resource.setrlimit(kind, (most, most))


def test_few_files_may_be_open() -> None:
    ran = devlint(*CONCISE, ".", before=lambda: limited(resource.RLIMIT_NOFILE, 8))
    assert (ran.returncode, said(ran)) == (1, [])
    assert ran.stdout.count(b"a.py:") == 2


def test_a_small_stack_will_do() -> None:
    ran = devlint(*CONCISE, ".", before=lambda: limited(resource.RLIMIT_STACK, 512 << 10))
    assert (ran.returncode, said(ran)) == (1, [])
    assert ran.stdout.count(b"a.py:") == 2


@pytest.mark.parametrize("options", [("--fix",), ("--add-noqa",)])
def test_no_file_may_be_large(options: tuple[str, ...]) -> None:
    """Nor may those of the cache, without which the same is found."""
    ran = devlint(*options, "a.py", before=lambda: limited(resource.RLIMIT_FSIZE, 99))
    assert (ran.returncode, Path("a.py").read_text()) == (2, TEXT)
    assert "error: a.py: cannot be written: file too large" in said(ran)
    assert is_whole()


@pytest.mark.parametrize("option", ["-o", "--write-baseline"])
def test_no_report_may_be_large(option: str) -> None:
    ran = devlint(option, "out", "a.py", before=lambda: limited(resource.RLIMIT_FSIZE, 9))
    assert (ran.returncode, said(ran)) == (2, ["error: cannot write out: file too large"])
    assert "out" not in os.listdir()


@pytest.mark.parametrize("way", ["a.py", '"$PWD/a.py"', "."])
def test_the_folder_may_be_gone(way: str) -> None:
    ran = shell(f"rm -r ../here; $devlint {way}")
    assert ran.returncode == 2
    assert said(ran) == ["error: the working directory is no more"]


def test_the_owner_may_keep_everything_from_everybody() -> None:
    ran = shell("umask 0777; $devlint --fix a.py; $devlint a.py")
    assert ran.stderr == b""
    assert Path("a.py").read_text() == FIXED
