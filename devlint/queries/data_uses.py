"""What the arguments of functions are, by what those do with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import written

#: What devices have.
PARTS = frozenset({"type", "index"})
#: What a function asks a tensor or a module for, beside its device.
OF_TENSORS = frozenset("shape ndim dtype is_cuda requires_grad grad data T training".split())


def used_as_data(function: ir.Def | ir.Lambda) -> frozenset[str]:
    """The names of a function that it indexes, iterates over, or asks for what no device has."""
    return frozenset(node.id for node in subjects(function) if isinstance(node, ir.Name))


def used_as_records(function: ir.Def | ir.Lambda) -> frozenset[str]:
    """The names of a function that it only asks for attributes: no methods, and nothing that
    tensors have but their device."""
    whole, asked = Counter[str](), Counter[str]()
    for node in walk(function):
        if isinstance(node, ir.Name):
            whole[node.id] += 1
        elif isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name):
            asked[node.value.id] += node.name not in OF_TENSORS
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
            asked[written(node.func.value)] -= 1
    return frozenset(name for name, count in asked.items() if count == whole[name] > 0)


def subjects(function: ir.Def | ir.Lambda) -> Iterator[ir.Expression]:
    for node in walk(function):
        if isinstance(node, ir.Subscript):
            yield node.value
        elif isinstance(node, ir.Attribute):
            yield from () if node.name in PARTS else (node.value,)
        elif isinstance(node, (ir.For, ir.Clause)):
            yield node.iter
