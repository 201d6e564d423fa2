"""Which names of a function are modules, by what it asks them for."""

from __future__ import annotations

from devlint.api import ir, walk

#: What modules have, and nothing else that is moved.
METHODS = frozenset(
    "parameters named_parameters buffers named_buffers modules named_modules children "
    "named_children zero_grad requires_grad_ load_state_dict register_buffer".split()
)


def used_as_modules(function: ir.Def) -> frozenset[str]:
    return frozenset(
        node.func.value.id
        for node in walk(function)
        if isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attribute)
        and isinstance(node.func.value, ir.Name)
        and node.func.name in METHODS
    )
