"""What loaders and samplers need of the devices around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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


@dataclass(frozen=True, slots=True, eq=False)
class Pin:
    """A tensor, or what a loader reads, is copied to pinned memory; `tensor` is how it is written.

    `by_loader`: each batch is, and `tensor` is the data set.
    """

    is_failure: ClassVar[bool] = True

    node: ir.Call
    tensor: str
    device: Device
    origin: Origin | None
    by_loader: bool = False
