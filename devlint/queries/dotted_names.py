"""The names in dotted expressions."""

from __future__ import annotations

from devlint.lower import ir


def last_word(node: ir.Expression) -> str:
    """The last of the names of a dotted expression."""
    while not isinstance(node, ir.Attribute):
        if isinstance(node, ir.Name):
            return node.id
        if isinstance(node, ir.Call):
            node = node.func
        elif isinstance(node, ir.Subscript):
            node = node.value
        else:
            return ""
    return node.name


def path(node: ir.Expression) -> list[str]:
    """The names of a dotted expression, calls and subscripts in it left out."""
    words: list[str] = []
    while not isinstance(node, ir.Name):
        if isinstance(node, ir.Attribute):
            words.append(node.name)
            node = node.value
        elif isinstance(node, ir.Call):
            node = node.func
        elif isinstance(node, ir.Subscript):
            node = node.value
        else:
            return words[::-1]
    return [node.id, *words[::-1]]


def holder(node: ir.Expression) -> ir.Expression:
    """What `x.a.b` asks for an attribute: `x`."""
    while isinstance(node, ir.Attribute):
        node = node.value
    return node


def is_path(node: ir.Expression) -> bool:
    """Whether an expression is a name, or attributes of one."""
    return isinstance(holder(node), ir.Name)
