"""Runs a user's program in a child process, and learns what happened whatever becomes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType

from devlint.confirm.dry_run.journal import Told, read
from devlint.confirm.dry_run.request import Assignment
from devlint.confirm.sandbox.sandbox import Sandbox
from devlint.confirm.sandbox.signals import heard, in_words

#: `-c` puts the working directory first on the path; what is in it must not stand for our modules.
_CHILD = (
    "import sys; sys.path[:1] == [''] and sys.path.pop(0); "
    "from devlint.confirm.dry_run.child import main; main(*sys.argv[1:])"
)
#: What `timeout` reports of a program that ran out of time.
_OUT_OF_TIME = 124
#: Seconds that a program has to end after it was told to.
_GRACE = 5
#: Interrupts after which nobody waits for the program any longer.
_PATIENCE = 3
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
#: Seconds between two looks at whether the program has begun.
_BLINK = 0.05


@dataclass(frozen=True, slots=True)
class DryRun:
    """`status`: the program's own, as a shell has it; `ending`: how it ended, in words."""

    told: Told
    status: int
    ending: str

    @property
    def on(self) -> str:
        """What it ran on."""
        return f"{self.told.on}, torch {self.told.torch}"

    @property
    def is_clean(self) -> bool:
        """Whether the program got to its end; a run that goes on after an event goes on as if the
        fault were mended, and does not show what else it leads to."""
        return self.status == 0 and not self.told.events

    @property
    def exit_code(self) -> int:
        return 1 if self.told.events else self.status


def dry_run(
    assignment: Assignment, *, seconds: float | None = None, sandbox: Sandbox | None = None
) -> DryRun:
    """Run the program, for so many seconds at most."""
    if sandbox:
        assignment = _moved(assignment, sandbox)
    root = sandbox.root if sandbox else None
    with tempfile.TemporaryDirectory(prefix="devlint-", dir=root) as folder:
        papers = [os.path.join(folder, name) for name in ("assignment.json", "journal.jsonl")]
        assignment.write(papers[0])
        open(papers[1], "x").close()
        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        child = subprocess.Popen(
            [sys.executable, *flags, "-c", _CHILD, *papers],
            cwd=sandbox.folder if sandbox else None,
            env=sandbox.environment() if sandbox else None,
        )
        with _passed_on(child):
            _await_begin(child, papers[1])
            is_late = not _ends(child, seconds)
        told = read(papers[1], sandbox.original if sandbox else str)
        return _outcome(told, child.returncode, seconds if is_late else None)


def _moved(assignment: Assignment, sandbox: Sandbox) -> Assignment:
    """The same, of the copies in the sandbox."""
    program = assignment.program
    if not assignment.is_module:
        program = os.path.relpath(sandbox.inside(program), sandbox.folder)
    lines = assignment.watched
    watched = tuple((sandbox.inside(path), first, last) for path, first, last in lines)
    return replace(assignment, program=program, watched=watched)


def _await_begin(child: subprocess.Popen[bytes], journal: str) -> None:
    """Until torch is imported, which the program is not to blame for."""
    while child.poll() is None and not os.path.getsize(journal):
        time.sleep(_BLINK)


def _ends(child: subprocess.Popen[bytes], seconds: float | None) -> bool:
    """Whether it does in time; if not it is ended."""
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.terminate()
        try:
            child.wait(_GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        return False
    return True


@contextmanager
def _passed_on(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Signals go to the program; its end, not ours, is what is waited for."""
    interrupts = 0

    def pass_on(number: int, frame: FrameType | None) -> None:
        nonlocal interrupts
        interrupts += number == signal.SIGINT
        if interrupts >= _PATIENCE:
            child.kill()
        elif number != signal.SIGINT or not _has_heard_the_keyboard():
            child.send_signal(number)

    with heard(_SIGNALS if os.name == "posix" else _SIGNALS[:1], pass_on):
        yield


def _has_heard_the_keyboard() -> bool:
    """Whether the terminal interrupts the program, as it does all that is in its foreground."""
    if os.name != "posix":  # Windows tells all processes of a console.
        return True
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False


def _outcome(told: Told, code: int, seconds: float | None) -> DryRun:
    if seconds is not None:
        return DryRun(told, _OUT_OF_TIME, f"was ended after {seconds:g} s")
    if code < 0:
        return DryRun(told, 128 - code, f"was {in_words(code)}")
    if told.end is None:
        return DryRun(told, code, f"left at once with exit code {code}")
    words = {
        "end": "ran to its end",
        "steps": "did all steps it was to do",
        "interrupted": "was interrupted",
    }
    ending = words.get(told.end.how, f"ended with exit code {code}")
    return DryRun(told, code, ending)
