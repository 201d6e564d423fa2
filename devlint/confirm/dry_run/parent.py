"""Runs a user's program in a child process, and learns what happened whatever becomes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from types import FrameType

from devlint.confirm.dry_run.followed_environment import unfollowed
from devlint.confirm.dry_run.own_process import own_process
from devlint.confirm.dry_run.report.gaps import end_all, gaps, is_settled
from devlint.confirm.dry_run.request import Assignment, papers_with
from devlint.confirm.dry_run.told import Told, read
from devlint.confirm.sandbox.sandbox import Sandbox
from devlint.confirm.sandbox.signals import heard, in_words

#: The exit code of a run that had no device events, and of which something was not seen.
INCOMPLETE = 3
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
    """`status`: the program's own, as a shell has it; `ending`: how it ended, in words.

    `gaps`: what was not seen, a line for each kind.
    """

    told: Told
    status: int
    ending: str
    gaps: tuple[str, ...] = ()

    @property
    def on(self) -> str:
        """What it ran on."""
        return f"{self.told.on}, torch {self.told.torch}"

    @property
    def is_clean(self) -> bool:
        """Whether the program got to its end, and all of it was seen; a run that goes on after an
        event goes on as if the fault were mended, and does not show what else it leads to."""
        return self.is_whole and self.status == 0 and not self.told.events

    @property
    def is_whole(self) -> bool:
        """Whether what ran was seen, to an end that the program has of itself."""
        return not self.gaps and self.told.end is not None and self.told.end.how != "left"

    @property
    def exit_code(self) -> int:
        """A program that was not seen as a whole has neither success nor events."""
        if self.told.events:
            return 1
        return self.status if self.is_whole or self.status > 1 else INCOMPLETE


def dry_run(
    assignment: Assignment,
    *,
    seconds: float | None = None,
    sandbox: Sandbox | None = None,
) -> DryRun:
    """Run the program, for so many seconds at most. Raises `NoRoomError`."""
    if sandbox:
        assignment = _moved(assignment, sandbox)
    with papers_with(asdict(assignment), sandbox.root if sandbox else None) as papers:
        child = subprocess.Popen(
            own_process("devlint.confirm.dry_run.child", papers.folder),
            cwd=sandbox.folder if sandbox else None,
            env=unfollowed(sandbox.environment() if sandbox else os.environ),
        )
        with _passed_on(child):
            _await_begin(child, papers.journal)
            is_late = not _ends(child, seconds)
        ended = end_all(read(papers.journal)) if is_late else set()
        told = _all_told(papers.journal, sandbox.original if sandbox else str)
        told.killed |= ended
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


def _all_told(journal: str, name: Callable[[str], str]) -> Told:
    """What processes tell that outlive the program, by a moment."""
    until = time.monotonic() + _GRACE
    told = read(journal, name)
    while not is_settled(told) and time.monotonic() < until:
        time.sleep(_BLINK)
        told = read(journal, name)
    return told


def _outcome(told: Told, code: int, seconds: float | None) -> DryRun:
    status = _OUT_OF_TIME if seconds is not None else 128 - code if code < 0 else code
    ending = _ending(told, code, seconds)
    is_success = status == 0 and not told.events
    return DryRun(told, status, ending, tuple(gaps(told, is_success=is_success)))


def _ending(told: Told, code: int, seconds: float | None) -> str:
    if seconds is not None:
        return f"was ended after {seconds:g} s"
    if code < 0:
        return f"was {in_words(code)}"
    if told.end is None or told.end.how == "left":
        return f"left at once with exit code {code}"
    words = {
        "end": "ran to its end",
        "steps": "did all steps it was to do",
        "interrupted": "was interrupted",
    }
    return words.get(told.end.how, f"ended with exit code {code}")
