"""Names that are called like devices, and used as data."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.lower import ir
from devlint.lower.walk import walk

#: What devices have.
PARTS = frozenset({"type", "index"})


def used_as_data(function: ir.Def | ir.Lambda) -> frozenset[str]:
    """The names of a function that it indexes, iterates over, or asks for what no device has."""
    return frozenset(node.id for node in subjects(function) if isinstance(node, ir.Name))


def subjects(function: ir.Def | ir.Lambda) -> Iterator[ir.Expression]:
    for node in walk(function):
        if isinstance(node, ir.Subscript):
            yield node.value
        elif isinstance(node, ir.Attribute):
            yield from () if node.name in PARTS else (node.value,)
        elif isinstance(node, (ir.For, ir.Clause)):
            yield node.iter
