"""Streams that are closed, full, or of which the reader has gone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.running import CONCISE, FIXED, TEXT, devlint, is_whole, said

CLOSED = "error: cannot write the report: standard output is closed"
FULL = "error: cannot write the report: No space left on device"

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="closes what Windows does not count")


def closing(*streams: int) -> Callable[[], None]:
    def close() -> None:
        for each in streams:
            os.close(each)

    return close


@pytest.mark.parametrize(
    ("streams", "status", "lines"),
    [((0,), 1, 2), ((1,), 2, 0), ((2,), 1, 2), ((0, 1, 2), 2, 0)],
    ids=["input", "output", "errors", "all"],
)
@pytest.mark.parametrize("options", [(), ("--fix",)], ids=["check", "fix"])
def test_closed_streams(
    streams: tuple[int, ...], status: int, lines: int, options: tuple[str, ...]
) -> None:
    ran = devlint(*CONCISE, *options, "a.py", before=closing(*streams))
    assert ran.returncode == status
    assert ran.stdout.count(b"a.py:") == (lines - len(options) if lines else 0)
    assert said(ran) == ([CLOSED] if streams == (1,) else [])
    assert is_whole()


@pytest.mark.parametrize("stream", [0, 2], ids=["input", "errors"])
def test_a_complaint_is_one_without_a_stream_for_it(stream: int) -> None:
    ran = devlint(*CONCISE, "nothing.py", "a.py", before=closing(stream))
    assert (ran.returncode, ran.stdout.count(b"a.py:")) == (2, 2)


def test_nothing_is_read_from_a_closed_input() -> None:
    ran = devlint("-", before=closing(0))
    assert ran.returncode == 2
    assert said(ran) == ["error: cannot read: standard input is closed"]


@needs_full
@pytest.mark.parametrize("option", ["--fix", "--diff", "--show-files", "--statistics"])
def test_a_full_output_is_one_line(option: str) -> None:
    with open("/dev/full", "w") as full:
        ran = devlint(option, "a.py", stdout=full.fileno())
    assert (ran.returncode, said(ran)) == (2, [FULL])
    assert is_whole()


@needs_full
def test_full_errors_end_nothing() -> None:
    with open("/dev/full", "w") as full:
        ran = devlint(*CONCISE, "nothing.py", "a.py", stderr=full.fileno())
    assert (ran.returncode, ran.stdout.count(b"a.py:")) == (2, 2)


@needs_full
def test_a_full_report_is_one_line() -> None:
    ran = devlint("-o", "/dev/full", "a.py")
    assert ran.returncode == 2
    assert said(ran) == ["error: cannot write /dev/full: no space left on device"]


@pytest.mark.parametrize("is_output", [True, False])
@pytest.mark.parametrize("options", [(), ("--fix", "--show-fixes"), ("--diff",)])
def test_a_reader_that_has_gone_is_no_fault(is_output: bool, options: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    streams = (writing, subprocess.PIPE) if is_output else (subprocess.PIPE, writing)
    ran = devlint(*options, "nothing.py", "a.py", stdout=streams[0], stderr=streams[1])
    os.close(writing)
    assert ran.returncode in (1, 2)
    assert b"Traceback" not in (ran.stdout or b"") + (ran.stderr or b"")
    assert Path("a.py").read_text() == (FIXED if "--fix" in options else TEXT)
