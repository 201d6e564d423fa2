"""Attributes that methods move each time they use them."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.loop_moves import MOVES
from devlint.queries.name_conventions import is_self


def moved_at_use(method: ir.Def) -> frozenset[str]:
    """The attributes of `self` that a method reads only to move them: `self.mask.to(x.device)`."""
    read, moved = set(reads(method)), set(moves(method))
    left = {node.name for node in read - moved}
    return frozenset(node.name for node in moved) - left


def reads(node: ir.Node) -> Iterator[ir.Attribute]:
    """The attributes of `self` in something, those that are assigned left out."""
    assigned = {t for each in walk(node) if isinstance(each, ir.Assign) for t in each.targets}
    for each in walk(node):
        if isinstance(each, ir.Attribute) and is_self(each.value) and each not in assigned:
            yield each


def moves(node: ir.Node) -> Iterator[ir.Attribute]:
    """Those of them that are moved at once, through `cast`, too."""
    for each in walk(node):
        match each:
            case ir.Call(func=ir.Attribute(value=whole, name=name)) if name in MOVES:
                yield from reads(whole)
