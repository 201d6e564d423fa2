"""Walking over the representation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from devlint.lower import ir

#: Fields that hold no nodes.
PLAIN = frozenset({"at", "words", "stores"})


def walk(node: ir.Node) -> Iterator[ir.Node]:
    """The node and all below it, in the order of the source as far as fields keep it."""
    pending: list[object] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, ir.Node):
            yield each
            names = [field.name for field in fields(each) if field.name not in PLAIN]
            pending += [getattr(each, name) for name in reversed(names)]
        elif isinstance(each, tuple):
            pending += reversed(each)
