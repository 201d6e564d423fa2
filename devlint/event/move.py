"""Moves that lead nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from devlint.lower import ir
from devlint.values.value import Origin


@dataclass(frozen=True, slots=True, eq=False)
class DiscardedMove:
    """A statement that moves a tensor and keeps nothing of it.

    `tensor` is what it moves and `how` the method, as the program writes them; `origin` is where
    the tensor's device came from, `use` where the tensor is read later, if that is a place.
    `keeper` is the statement, where what it moves may be assigned back.
    """

    is_failure: ClassVar[bool] = True

    node: ir.Call
    tensor: str
    how: str
    origin: Origin | None
    use: ir.Node | None
    keeper: ir.Evaluate | None
