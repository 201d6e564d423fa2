"""Device events: what interpretation reduces a program to, and what rules look at."""

from __future__ import annotations

from devlint.event.checkpoint import Checkpoints, File, Load, Save, may_be_one_file
from devlint.event.choice import IgnoredChoice, Neglect
from devlint.event.copy import UnsynchronisedRead
from devlint.event.feed import Feed
from devlint.event.loader import Pin, Shuffle
from devlint.event.module import (
    Use,
)
from devlint.event.operation import (
    Combine,
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
from devlint.event.worker import WorkerUse

__all__ = [
    "PORTABILITY_EVENTS",
    "STEP_EVENTS",
    "Checkpoints",
    "Combine",
    "DeviceText",
    "DoubleTransfer",
    "Event",
    "Exhausted",
    "Feed",
    "File",
    "HardCoded",
    "History",
    "IgnoredChoice",
    "IndexLoss",
    "IndexLost",
    "Load",
    "MaskedInput",
    "Neglect",
    "Objection",
    "Operand",
    "Pin",
    "RawState",
    "Read",
    "Reveal",
    "Sample",
    "Save",
    "Shuffle",
    "SplitStep",
    "StaleStep",
    "StepEvent",
    "Steps",
    "Transfer",
    "UnsynchronisedRead",
    "Use",
    "WorkerUse",
    "may_be_one_file",
    "origins",
]

Event = (
    Reveal
    | Combine
    | Feed
    | Sample
    | Pin
    | Shuffle
    | MaskedInput
    | Use
    | RawState
    | SplitStep
    | StaleStep
    | Checkpoints
    | UnsynchronisedRead
    | WorkerUse
    | IgnoredChoice
    | HardCoded
    | IndexLost
    | DeviceText
    | StepEvent
    | Exhausted
)
