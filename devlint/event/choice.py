"""Devices that were chosen, and what is put elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from devlint.lower import ir


class Neglect(Enum):
    """How a choice comes to be ignored."""

    ARGUMENT = "the method takes a device, and uses that of its object"
    FALLBACK = "the program falls back to the CPU, and uses the device that it fell back from"
    DEFAULT = "the default of a parameter is an accelerator, and the input is anywhere"
    ROUND_TRIP = "what was on some accelerator comes back from the CPU to the current one"
    CACHED = "the module moves itself to the device that it was made for"


@dataclass(frozen=True, slots=True, eq=False)
class IgnoredChoice:
    """Something is put on the device `used`, while `chosen` says where it has to be.

    `because` is the place of the choice.
    """

    node: ir.Node
    how: Neglect
    operation: str
    used: str
    chosen: str
    because: ir.Node
