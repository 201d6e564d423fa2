"""What happens to modules."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.event.operation import Operand
from devlint.finding import Safety
from devlint.lower import ir
from devlint.values.instance import Attach
from devlint.values.source import PlainAttribute


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A module is used while `attaches` have not been moved with it."""

    node: ir.Node
    attaches: tuple[Attach, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StrayState:
    """A tensor that a module keeps as a plain attribute meets what moves with the module, or with
    the module's input.

    `registration` tells how safe it is that its only assignment registers it as a buffer; None
    where it cannot.
    """

    node: ir.Node
    operation: str
    attribute: PlainAttribute
    operand: Operand
    partner: Operand
    registration: Safety | None


@dataclass(frozen=True, slots=True, eq=False)
class Facsimile:
    """What `method` of a module gives for a copy of it was built on the CPU at `node`."""

    node: ir.Node
    method: str
