"""Which names of a function are modules, and which are lists, by what it does with them."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import ir, loop_moves, path, types_asked, walk

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


def used_as_lists(function: ir.Def) -> frozenset[str]:
    """What holds tensors and other things: a loop asks of each item whether it is a tensor."""
    loops = [node for node in walk(function) if isinstance(node, (ir.For, ir.Clause))]
    asked = {name for node in walk(function) for name in asked_for_tensor(node)}
    found = [loop for loop in loops if not asked.isdisjoint(loop_moves.names(loop.target))]
    return frozenset(name for loop in found for name in looped_over(loop.iter))


def looped_over(node: ir.Expression) -> Iterator[str]:
    """The name of `x` in a loop over `x` or `enumerate(x)`."""
    if isinstance(node, ir.Call) and path(node.func) == ["enumerate"] and node.args:
        node = node.args[0]
    if isinstance(node, ir.Name):
        yield node.id


def asked_for_tensor(node: ir.Node) -> Iterator[str]:
    """The name of `x` in `isinstance(x, torch.Tensor)` and `torch.is_tensor(x)`."""
    if not isinstance(node, ir.Call) or not node.args or not isinstance(node.args[0], ir.Name):
        return
    if types_asked(node) == {"Tensor"}:
        yield node.args[0].id
