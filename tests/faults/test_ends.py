"""Runs that are killed, told to end, or not alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from devlint.cache.store import FOLDER
from tests.faults.running import CONCISE, FIXED, TEXT, devlint, is_whole

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

#: The n-th call of a function of `os` is where a run ends.
ENDING = """
import os, signal, sys
name, count, number, *arguments = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)
plain, left = getattr(os, name), int(count)
def ending(*given, **named):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), int(number))
    return plain(*given, **named)
setattr(os, name, ending)
from devlint.cli import main
main(arguments)
"""
MOMENTS = [("open", 1), ("fsync", 1), ("fsync", 2), ("replace", 1), ("replace", 2), ("chmod", 1)]
SIGNALS = ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGABRT"]


def ended(
    moment: tuple[str, int], name: str, *arguments: str
) -> subprocess.CompletedProcess[bytes]:
    number = str(int(getattr(signal, name)))
    command = [sys.executable, "-c", ENDING, moment[0], str(moment[1]), number, *arguments]
    return subprocess.run(command, capture_output=True, timeout=60)


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("moment", MOMENTS, ids=map(str, MOMENTS))
def test_a_fix_that_is_ended_leaves_whole_files(moment: tuple[str, int], name: str) -> None:
    for each in ("b.py", "c.py"):
        Path(each).write_text(TEXT)
    ran = ended(moment, name, "--fix", ".")
    assert ran.returncode in (130, -getattr(signal, name))
    assert {Path(each).read_text() for each in ("a.py", "b.py", "c.py")} <= {TEXT, FIXED}
    if name not in ("SIGKILL", "SIGABRT"):
        assert is_whole()
    assert b"Traceback" not in ran.stderr
    assert devlint("--fix", ".").returncode == 1
    assert {Path(each).read_text() for each in ("a.py", "b.py", "c.py")} == {FIXED}


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("moment", [("open", 1), ("replace", 1), ("makedirs", 1), ("mkdir", 1)])
def test_a_cache_that_is_ended_is_whole_or_none(moment: tuple[str, int], name: str) -> None:
    ran = ended(moment, name, *CONCISE, ".")
    assert ran.returncode in (130, -getattr(signal, name))
    after = devlint(*CONCISE, ".")
    assert (after.returncode, after.stderr) == (1, b"")
    assert after.stdout == devlint(*CONCISE, "--no-cache", ".").stdout


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
@pytest.mark.parametrize("option", ["-o", "--write-baseline"])
def test_a_report_that_is_ended_is_the_old_one(option: str, name: str) -> None:
    Path("out").write_text("old")
    ended(("fsync", 1), name, "--no-cache", option, "out", ".")
    text = Path("out").read_text()
    assert text == "old" or "DEV203" in text
    assert sorted(os.listdir()) == ["a.py", "out"]


@pytest.mark.parametrize("options", [("--fix",), ("--add-noqa",), ("--fix", "--unsafe-fixes"), ()])
def test_several_at_once(options: tuple[str, ...]) -> None:
    for number in range(20):
        Path(f"{number}.py").write_text(TEXT)
    command = [sys.executable, "-m", "devlint", *CONCISE, *options, "."]
    running = [subprocess.Popen(command, stdout=-1, stderr=-1) for _ in range(4)]
    told = [each.communicate() for each in running]
    assert not [errors for _, errors in told if b"Traceback" in errors]
    texts = {Path(f"{number}.py").read_text() for number in range(20)}
    assert len(texts) == 1
    assert [each for each in os.listdir() if each.endswith(".devlint")] == []
    assert {each.returncode for each in running} <= {0, 1, 2}
    alone = devlint(*CONCISE, "--no-cache", ".").stdout
    assert devlint(*CONCISE, ".").stdout == alone


def test_what_a_kill_leaves_is_not_linted() -> None:
    ended(("replace", 1), "SIGKILL", "--no-cache", "--fix", ".")
    left = [each for each in os.listdir() if each not in ("a.py", FOLDER)]
    assert [each.endswith(".devlint") for each in left] == [True]
    assert devlint("--show-files", ".").stdout == b"a.py\n"
