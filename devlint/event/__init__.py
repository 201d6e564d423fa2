"""Device events: what interpretation reduces a program to, and what rules look at.

An event with `is_failure` raises: it is left out where a test or a handler expects that.
"""

from __future__ import annotations

from devlint.event.checkpoint import Checkpoints, File, Load, Save, may_be_one_file
from devlint.event.feed import Feed
from devlint.event.module import (
    Use,
)
from devlint.event.operation import (
    Combine,
    Operand,
    Sample,
    on_paths,
    origins,
)
from devlint.event.optimizer import RawState, SplitStep, StaleStep
from devlint.event.program import Exhausted, Reveal
from devlint.event.step import (
    DoubleTransfer,
    Read,
    Steps,
    Transfer,
)

__all__ = [
    "Checkpoints",
    "Combine",
    "DoubleTransfer",
    "Event",
    "Exhausted",
    "Feed",
    "File",
    "Load",
    "Operand",
    "RawState",
    "Read",
    "Reveal",
    "Sample",
    "Save",
    "SplitStep",
    "StaleStep",
    "Steps",
    "Transfer",
    "Use",
    "may_be_one_file",
    "on_paths",
    "origins",
]

Event = (
    Reveal
    | Combine
    | Feed
    | Sample
    | Use
    | RawState
    | SplitStep
    | StaleStep
    | Checkpoints
    | Transfer
    | DoubleTransfer
    | Steps
    | Exhausted
)
