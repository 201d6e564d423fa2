"""A Python process that the program of a dry run started: it is watched as the program is.

It imports little at first, for many processes have nothing to do with torch.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any

from devlint.confirm.dry_run.after_import import AfterImport
from devlint.confirm.dry_run.followed_environment import VARIABLE
from devlint.confirm.dry_run.journal import Journal
from devlint.confirm.dry_run.process_starts import tell_starts
from devlint.confirm.dry_run.request import Assignment, Papers
from devlint.confirm.sandbox import VARIABLE as SANDBOX


def begin() -> None:
    """First of all in the process; torch is not imported before its program does so."""
    folder = os.environ.get(VARIABLE)
    if folder is None or not os.path.isdir(folder):  # The run has ended.
        return
    papers = Papers(folder)
    journal = Journal(papers.journal)
    if SANDBOX in os.environ:
        from devlint.confirm.sandbox.python_io import redirect

        redirect()
    journal.process()
    tell_starts(journal)
    _tell_end(journal)
    sys.meta_path.insert(0, AfterImport("torch".__eq__, lambda _: _observe(papers, journal)))


def _observe(papers: Papers, journal: Journal) -> None:
    from devlint.confirm.emulation.torch_requirement import EmulationError, required

    try:
        with required():
            from devlint.confirm.dry_run.observation import observe
            from devlint.confirm.dry_run.uncaught import Uncaught
            from devlint.confirm.sandbox.native_io import redirect_libraries
        redirect_libraries()
        observe(Assignment.read(papers.assignment), journal)
        if sys.excepthook is sys.__excepthook__:
            sys.excepthook = Uncaught(journal).as_hook
    except EmulationError as error:
        journal.missed("process", f"{error}")


def _tell_end(journal: Journal) -> None:
    """Python does not say with which status a process ends, but how it got to it."""
    leave, status = sys.exit, 0

    def left(code: Any = None) -> None:
        nonlocal status
        status = code if isinstance(code, int) else int(code is not None)
        leave(code)

    def end() -> None:
        is_broken = getattr(sys, "last_type", None) is not None
        journal.end("exception" if is_broken else "exit", 1 if is_broken else status)

    setattr(sys, "exit", left)  # noqa: B010
    atexit.register(end)
