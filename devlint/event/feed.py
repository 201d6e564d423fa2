"""What modules are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from devlint.event.operation import Operand
from devlint.lower import ir


@dataclass(frozen=True, slots=True, eq=False)
class Feed:
    """A module is called with `inputs`; the `module` is an operand that is where its state is.

    Inputs need not agree with one another, but what the module computes with has to be where the
    module is. `call` is the outermost call of a module in view that this happens in, `precedent`
    the module of an earlier or later call that the program moves the same input for. `presumed`:
    the code of the module is out of view, and may move the input, or the module. `path` are all
    calls that led there.
    """

    is_failure: ClassVar[bool] = True

    node: ir.Call
    module: Operand
    inputs: tuple[Operand, ...]
    call: ir.Node | None = None
    precedent: Operand | None = None
    presumed: bool = False
    path: tuple[ir.Node, ...] = ()
