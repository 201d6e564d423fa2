"""Device events: what interpretation reduces a program to, and what rules look at.

An event with `is_failure` raises: it is left out where a test or a handler expects that.
"""

from __future__ import annotations

from devlint.event.checkpoint import Checkpoints, File, Load, Save, may_be_one_file
from devlint.event.copy import UnsynchronisedRead
from devlint.event.feed import Feed, OneSidedMove
from devlint.event.loader import Pin, Shuffle
from devlint.event.module import (
    Buffer,
    EmptyUse,
    Facsimile,
    HiddenModules,
    StaleAlias,
    StrayState,
    Use,
)
from devlint.event.move import DiscardedMove
from devlint.event.operation import (
    Combine,
    CpuArgument,
    Export,
    Operand,
    Sample,
    origins,
)
from devlint.event.optimizer import RawState, SplitStep, StaleStep
from devlint.event.program import Exhausted, Reveal
from devlint.event.step import (
    DoubleTransfer,
    History,
    Read,
    Steps,
    Transfer,
)
from devlint.event.tie import TieLost
from devlint.event.unplaced import Communicated, Unplaced
from devlint.event.worker import WorkerUse

__all__ = [
    "Buffer",
    "Checkpoints",
    "Combine",
    "Communicated",
    "CpuArgument",
    "DiscardedMove",
    "DoubleTransfer",
    "EmptyUse",
    "Event",
    "Exhausted",
    "Export",
    "Facsimile",
    "Feed",
    "File",
    "HiddenModules",
    "History",
    "Load",
    "OneSidedMove",
    "Operand",
    "Pin",
    "RawState",
    "Read",
    "Reveal",
    "Sample",
    "Save",
    "Shuffle",
    "SplitStep",
    "StaleAlias",
    "StaleStep",
    "Steps",
    "StrayState",
    "TieLost",
    "Transfer",
    "Unplaced",
    "UnsynchronisedRead",
    "Use",
    "WorkerUse",
    "may_be_one_file",
    "origins",
]

Event = (
    Reveal
    | Combine
    | CpuArgument
    | Feed
    | OneSidedMove
    | Sample
    | Export
    | Pin
    | Shuffle
    | Unplaced
    | Communicated
    | Use
    | StrayState
    | RawState
    | HiddenModules
    | StaleAlias
    | SplitStep
    | StaleStep
    | Checkpoints
    | UnsynchronisedRead
    | WorkerUse
    | EmptyUse
    | Facsimile
    | Transfer
    | DoubleTransfer
    | Steps
    | History
    | DiscardedMove
    | TieLost
    | Exhausted
)
