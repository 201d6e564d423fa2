"""What a dry run has of a process once torch is imported: CUDA, counted steps, watched lines."""

from __future__ import annotations

from contextlib import ExitStack

from torch.optim.optimizer import register_optimizer_step_post_hook

from devlint.confirm.dry_run.journal import Journal
from devlint.confirm.dry_run.line_coverage import watch
from devlint.confirm.dry_run.request import Assignment
from devlint.confirm.emulation.emulate import emulated_cuda
from devlint.confirm.emulation.real_cuda import cuda

#: CUDA stays for what runs after the program: threads, and what it registered with `atexit`.
_LASTING = ExitStack()


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
    left = iter(range(steps - 1))

    def count(*_: object) -> None:
        if next(left, None) is None:
            raise Enough

    register_optimizer_step_post_hook(count)
