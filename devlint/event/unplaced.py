"""Tensors that nobody placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from devlint.event.operation import Operand
from devlint.lower import ir
from devlint.values.device import Like
from devlint.values.source import Factory


@dataclass(frozen=True, slots=True, eq=False)
class Unplaced:
    """On some path, a tensor that a factory made on the CPU meets what is on the device of an
    argument or of a module: `like`.

    `place` is that device as it can be written where the tensor is made, if it can;
    `is_sure_there`: by then it certainly is the device of a tensor.
    """

    is_failure: ClassVar[bool] = True

    node: ir.Node
    operation: str
    tensor: Operand
    factory: Factory
    partner: Operand
    like: Like
    place: str | None
    is_sure_there: bool


@dataclass(frozen=True, slots=True, eq=False)
class Communicated:
    """A tensor that a factory made on the CPU is handed to other processes by NCCL."""

    node: ir.Node
    operation: str
    factory: Factory
