"""What a dry run has of a process once torch is imported: CUDA, counted steps, watched lines."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import ExitStack
from itertools import count
from time import monotonic

from torch.optim.optimizer import register_optimizer_step_post_hook

from devlint.confirm.dry_run.journal import Journal
from devlint.confirm.dry_run.line_coverage import watch
from devlint.confirm.dry_run.request import Assignment
from devlint.confirm.emulation.emulate import emulated_cuda
from devlint.confirm.emulation.real_cuda import cuda

#: CUDA stays for what runs after the program: threads, and what it registered with `atexit`. It
#: ends before the interpreter does, without which torch cannot take its modes back.
_LASTING = ExitStack()

#: Seconds between two steps that are told.
_PAUSE = 2.0


class Enough(SystemExit):
    """The optimizers did as many steps as were asked for."""


def observe(assignment: Assignment, journal: Journal) -> str:
    """From now on, for the rest of the process; what it runs on, in words."""
    on = _on(assignment, journal)
    if assignment.steps is not None:
        _count_steps(assignment.steps)
    watch(assignment.watched, journal.ran)
    return on


def _on(assignment: Assignment, journal: Journal) -> str:
    if assignment.device == "cuda":
        return cuda()
    atexit.register(_LASTING.close)
    _LASTING.enter_context(
        emulated_cuda(
            devices=assignment.devices,
            goes_on=assignment.goes_on,
            memory=assignment.memory,
            hear=journal.event,
            miss=journal.missed,
        )
    )
    return "emulated CUDA"


def _count_steps(steps: int) -> None:
    done = count(1)
    is_watched = sys.__stderr__ is not None and sys.__stderr__.isatty()
    is_first = os.environ.get("RANK", "0") == "0"
    tell = _Teller(steps) if is_watched and is_first else None

    def note(*_: object) -> None:
        number = next(done)
        if tell:
            tell(number)
        if number >= steps:
            raise Enough

    register_optimizer_step_post_hook(note)


class _Teller:
    """Tells a terminal of steps: of the first and the last, and of others at times."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._next = 0.0

    def __call__(self, number: int) -> None:
        if number == self._steps or monotonic() >= self._next:
            self._next = monotonic() + _PAUSE
            print(f"devlint: step {number} of {self._steps}", file=sys.__stderr__, flush=True)
