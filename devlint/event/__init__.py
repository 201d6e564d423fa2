"""Device events: what interpretation reduces a program to, and what rules look at."""

from __future__ import annotations

from devlint.event.checkpoint import Checkpoints, File, Load, Save, may_be_one_file
from devlint.event.module import Buffer, EmptyUse, Use
from devlint.event.operation import Combine, MaskedInput, Operand, Sample
from devlint.event.optimizer import SplitStep, StaleStep
from devlint.event.program import Exhausted, Reveal
from devlint.event.worker import WorkerUse

__all__ = [
    "Buffer",
    "Checkpoints",
    "Combine",
    "EmptyUse",
    "Event",
    "Exhausted",
    "File",
    "Load",
    "MaskedInput",
    "Operand",
    "Reveal",
    "Sample",
    "Save",
    "SplitStep",
    "StaleStep",
    "Use",
    "WorkerUse",
    "may_be_one_file",
]

Event = (
    Reveal
    | Combine
    | Sample
    | MaskedInput
    | Use
    | SplitStep
    | StaleStep
    | Checkpoints
    | WorkerUse
    | EmptyUse
    | Exhausted
)
