"""What loaders and samplers need of the devices around them."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.event.operation import Operand
from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.value import Origin


@dataclass(frozen=True, slots=True, eq=False)
class Shuffle:
    """A loader, sampler or split that draws random numbers on the default device.

    `generator` is what it was given; without one it takes one on the CPU. `setter` is where the
    program set the default, `device` how it can be written here.
    """

    node: ir.Call
    operation: str
    default: Device
    setter: Origin | None
    device: ir.Expression | None
    generator: Operand | None
