"""What happens to modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from devlint.event.operation import Operand
from devlint.finding import Safety
from devlint.lower import ir
from devlint.values.instance import Attach
from devlint.values.source import PlainAttribute
from devlint.values.value import Origin


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """A module is used while `attaches` have not been moved with it."""

    node: ir.Node
    attaches: tuple[Attach, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """A buffer that a class registers."""

    node: ir.Node
    name: str
    is_persistent: bool


@dataclass(frozen=True, slots=True, eq=False)
class EmptyUse:
    """A module computes with memory that nothing has written to since it was `emptied`.

    `has_parameters`: they were written, the `buffers` were not.
    """

    node: ir.Node
    emptied: Origin
    buffers: tuple[Buffer, ...]
    has_parameters: bool


@dataclass(frozen=True, slots=True, eq=False)
class HiddenModules:
    """A call of what an attribute of a module holds, which is a plain container of modules.

    `container` is how the program writes the module that would hold them, where the assignment
    may make it.
    """

    node: ir.Node
    assignment: ir.Node
    name: str
    container: str | None


@dataclass(frozen=True, slots=True, eq=False)
class StaleAlias:
    """An alias of a buffer takes part in an operation, as the buffer was before any move."""

    node: ir.Node
    assignment: ir.Node
    name: str
    buffer: str


@dataclass(frozen=True, slots=True, eq=False)
class StrayState:
    """A tensor that a module keeps as a plain attribute meets what moves with the module, or with
    the module's input.

    `registration` tells how safe it is that its only assignment registers it as a buffer; None
    where it cannot.
    """

    is_failure: ClassVar[bool] = True

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
