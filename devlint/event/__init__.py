"""Device events: what interpretation reduces a program to, and what rules look at."""

from __future__ import annotations

from devlint.event.checkpoint import Checkpoints, File, Load, Save, may_be_one_file
from devlint.event.choice import IgnoredChoice, Neglect
from devlint.event.feed import Feed, OneSidedMove
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
    MaskedInput,
    Operand,
    Sample,
    origins,
)
from devlint.event.optimizer import RawState, SplitStep, StaleStep
from devlint.event.portability import (
    PORTABILITY_EVENTS,
    DeviceText,
    HardCoded,
    IndexLoss,
    IndexLost,
    Objection,
)
from devlint.event.program import Exhausted, Reveal
from devlint.event.step import (
    STEP_EVENTS,
    DoubleTransfer,
    History,
    Read,
    StepEvent,
    Steps,
    Transfer,
)
from devlint.event.tie import TieLost
from devlint.event.unplaced import Communicated, Unplaced

__all__ = [
    "PORTABILITY_EVENTS",
    "STEP_EVENTS",
    "Buffer",
    "Checkpoints",
    "Combine",
    "Communicated",
    "CpuArgument",
    "DeviceText",
    "DiscardedMove",
    "DoubleTransfer",
    "EmptyUse",
    "Event",
    "Exhausted",
    "Export",
    "Facsimile",
    "Feed",
    "File",
    "HardCoded",
    "HiddenModules",
    "History",
    "IgnoredChoice",
    "IndexLoss",
    "IndexLost",
    "Load",
    "MaskedInput",
    "Neglect",
    "Objection",
    "OneSidedMove",
    "Operand",
    "RawState",
    "Read",
    "Reveal",
    "Sample",
    "Save",
    "SplitStep",
    "StaleAlias",
    "StaleStep",
    "StepEvent",
    "Steps",
    "StrayState",
    "TieLost",
    "Transfer",
    "Unplaced",
    "Use",
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
    | MaskedInput
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
    | IgnoredChoice
    | HardCoded
    | IndexLost
    | DeviceText
    | EmptyUse
    | Facsimile
    | StepEvent
    | DiscardedMove
    | TieLost
    | Exhausted
)
