"""The child process of a dry run."""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType

from devlint.confirm.dry_run.followed_environment import followed
from devlint.confirm.dry_run.journal import Journal
from devlint.confirm.dry_run.process_starts import tell_starts
from devlint.confirm.dry_run.request import Assignment, Papers
from devlint.confirm.emulation.torch_requirement import EmulationError, required
from devlint.confirm.sandbox.native_io import redirect_libraries
from devlint.confirm.sandbox.network import leave
from devlint.confirm.sandbox.python_io import redirect

#: An interrupt reaches the child from the terminal and from its parent, within this many seconds.
_ECHO = 0.5


def main(folder: str) -> None:
    """Do what the papers in the folder say, and tell of it there."""
    is_interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Of imports nobody wants a traceback.
    papers = Papers(folder)
    assignment, journal = Assignment.read(papers.assignment), Journal(papers.journal)
    if assignment.is_offline:
        leave()
    redirect()
    redirect_libraries()
    try:
        with required():
            from devlint.confirm.dry_run.user_program import run
        if is_interruptible:
            signal.signal(signal.SIGINT, Interrupt())
        tell_starts(journal)
        if assignment.device == "emulated":
            os.environ.update(followed(os.environ, folder))
        status = run(assignment, journal)
    except EmulationError as error:
        print(f"error: {error}", file=sys.stderr)
        status = 2
    sys.exit(status)


class Interrupt:
    """Interrupts the program, and does not hear the echo."""

    def __init__(self) -> None:
        self._last = -_ECHO

    def __call__(self, number: int, frame: FrameType | None) -> None:
        before, self._last = self._last, time.monotonic()
        if self._last - before > _ECHO:
            signal.default_int_handler(number, frame)
