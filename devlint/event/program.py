"""What interpretation says of itself."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.lower import ir
from devlint.values.device import Device


@dataclass(frozen=True, slots=True, eq=False)
class Reveal:
    """A `reveal_device(x)` call, the specs' window into the analysis."""

    node: ir.Node
    device: Device


@dataclass(frozen=True, slots=True, eq=False)
class Exhausted:
    """How many calls were not followed because a budget was spent; the last event of a program."""

    calls: int
