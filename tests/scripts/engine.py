"""Runs a script, plain or on emulated CUDA, and reads what was said of it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from devlint.rule.self_reports import RefusedByCuda

from .workplace import environment

#: Seconds.
_TIMEOUT = 900

#: Path and line.
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Event:
    """`stack`: the line that crashes, then its callers."""

    stack: tuple[Place, ...]
    births: tuple[Place, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Found:
    """What the linter found, and the verdict of the run; `line`: the text of its first line."""

    code: str
    line: str
    verdict: str

    @property
    def is_confirmed(self) -> bool:
        return self.verdict == "confirmed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`seconds` of CPU time, user and system; `told`: the end of what went to stderr."""

    status: int
    seconds: float
    told: str
    events: tuple[Event, ...] = ()
    found: tuple[Found, ...] = ()


def plain(path: Path, arguments: Sequence[str], root: Path) -> Outcome:
    return _run([sys.executable, path.name, *arguments], path.parent, root)


def emulated(
    path: Path, arguments: Sequence[str], root: Path, devices: int, *, goes_on: bool
) -> Outcome:
    """On so many devices of emulated CUDA; to the end, or to the first device event."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        options = ["--isolated", "--output-format=json", f"--output-file={report}"]
        options += [f"--devices={devices}", *(["--keep-going"] if goes_on else [])]
        command = [sys.executable, "-m", "devlint", "run", *options, path.name, *arguments]
        outcome = _run(command, path.parent, root)
        findings = json.loads(report.read_text()) if report.exists() else []
    refused = [each for each in findings if each["evidence"]["verdict"] == "confirmed"]
    own = [each for each in findings if each["code"] == RefusedByCuda.code]
    found = [_found(each, path.parent) for each in findings if each not in own]
    return replace(outcome, events=tuple(map(_event, refused)), found=tuple(found))


def line_text(folder: Path, place: Place) -> str:
    path, line = place
    return (folder / path).read_text().splitlines()[line - 1].strip()


def _found(finding: Mapping[str, Any], folder: Path) -> Found:
    verdict = finding["evidence"]["verdict"]
    return Found(finding["code"], line_text(folder, _place(finding)), verdict)


def _event(finding: Mapping[str, Any]) -> Event:
    """Of a finding of the linter that a run confirmed, too: it may be where the operand is born."""
    related = finding["related"]
    crash = [_place(each) for each in related if "CUDA refuses it here" in each["message"]]
    called = [_place(each) for each in related if "called here" in each["message"]]
    births = [_place(each) for each in related if "operand" in each["message"]]
    here = _place(finding)
    is_own = finding["code"] == RefusedByCuda.code
    message = finding["message"] if is_own else finding["evidence"]["error"]
    return Event((*(crash or [here]), *called), (*births, here), message)


def _place(finding: Mapping[str, Any]) -> Place:
    return finding["path"], finding["line"]


def _run(command: Sequence[str], folder: Path, root: Path) -> Outcome:
    before = _cpu_time()
    run = partial(subprocess.run, cwd=folder, env=environment(root), capture_output=True)
    try:
        done = run(command, timeout=_TIMEOUT, errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return Outcome(-1, _cpu_time() - before, f"not done after {_TIMEOUT} s")
    return Outcome(done.returncode, _cpu_time() - before, done.stderr)


def _cpu_time() -> float:
    """Of all processes that were waited for, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
