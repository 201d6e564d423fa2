"""Which statements of a function run where another one does."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import ir, is_name, walk


def is_used_along(method: ir.Def, name: str, node: ir.Node) -> bool:
    """Whether a method uses a name on a way that comes to a node, too."""
    return any(is_name(each, name) for part in along(method.body, node) for each in walk(part))


def along(block: ir.Block, node: ir.Node) -> Iterator[ir.Node]:
    """The statements of a block that run where a node does, as far as branches say so."""
    for statement in block:
        if not isinstance(statement, ir.If) or node not in walk(statement):
            yield statement
            continue
        yield statement.test
        arm = next((a for a in (statement.body, statement.orelse) if is_in(a, node)), ())
        yield from along(arm, node)
        if arm and isinstance(arm[-1], (ir.Return, ir.Raise)):
            return


def is_in(block: ir.Block, node: ir.Node) -> bool:
    return any(node in walk(statement) for statement in block)
