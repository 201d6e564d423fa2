"""What ties a program to one accelerator; emitted only for rules that watch it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from devlint.lower import ir


class Objection(Enum):
    """Why a literal accelerator is one too many."""

    UNKNOWN_NAME = "PyTorch knows no device of that name"
    VARIABLE = "a variable says which device to use"
    FORWARD = "a module is on whatever device it was moved to"


@dataclass(frozen=True, slots=True, eq=False)
class HardCoded:
    """An accelerator written out as `text`; `because` is the variable that could say it."""

    node: ir.Node
    text: str
    why: Objection
    variable: str = ""
    because: ir.Node | None = None


class IndexLoss(Enum):
    """How the index of a device is lost."""

    ROUND_TRIP = "over the CPU to the current accelerator"
    LIKEWISE = "to the current accelerator because something else is on one"
    CACHED = "a device is kept while the module moves"


@dataclass(frozen=True, slots=True, eq=False)
class IndexLost:
    """`text` goes to a device that need not be the one of `other`, decided at `because`."""

    node: ir.Node
    how: IndexLoss
    text: str
    other: str
    because: ir.Node


@dataclass(frozen=True, slots=True, eq=False)
class DeviceText:
    """A `torch.device`, written `device`, is compared with a string: they are never equal."""

    node: ir.Node
    device: str
    text: str


#: All of them.
PORTABILITY_EVENTS: frozenset[type] = frozenset({HardCoded, IndexLost, DeviceText})
