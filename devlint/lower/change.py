"""Changes: what a fix does to the syntax at one node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from devlint.lower import ir


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """`new` makes of the LibCST node at `node` what is to stand there.

    It gives one node, for a statement also several, or None where it does not apply. With
    `is_statement` it gets the statement that `node` is in, with `is_module` the module. It never
    runs in the screen.
    """

    node: ir.Node
    new: Callable[[Any], Any]
    is_statement: bool = False
    is_module: bool = False
