"""What a move of a module leaves behind: where it is used, and what it meets there."""

from __future__ import annotations

from collections.abc import Set

from devlint.event import Operand
from devlint.interpret.core import class_summary
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import outermost
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.tensors.certain_tensors import evident_names, is_first_input
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.annotations import is_tensor_type
from devlint.values.device import Like


def leading(run: Run, owner: ClassInfo, names: Set[str]) -> frozenset[str]:
    """The names of attributes, and of the methods that lead there: those that hand on the module
    may lead anywhere."""
    pending = class_summary.methods(owner) if names else {}
    found = {*names, *(name for name, node in pending.items() if run.once(hands_on_itself, node))}
    while more := [n for n, node in pending.items() if not found.isdisjoint(node.words)]:
        found.update(more)
        pending = {name: node for name, node in pending.items() if name not in more}
    return frozenset(found)


def hands_on_itself(method: ir.Def) -> bool:
    """Whether a method uses its object as anything but the whole of an attribute."""
    itself = method.params[0].name if method.params else ""
    wholes = {node.value for node in walk(method) if isinstance(node, ir.Attribute)}
    named = (node for node in walk(method) if isinstance(node, ir.Name) and node.id == itself)
    return any(node not in wholes for node in named)


def is_in_reach(run: Run, owner: ClassInfo) -> bool:
    """Whether a call of the module, or of one that computes with it, comes here."""
    layer = run.frame.layer
    return is_called(run, owner) or (layer is not None and is_called(run, layer))


def is_called(run: Run, owner: ClassInfo) -> bool:
    reached = class_summary.summary(run, owner).reached
    return any(
        each.name in reached
        or (each.name != "__init__" and any(is_tensor_type(p.annotation) for p in each.params))
        for each in class_summary.running(run, owner)
    )


def leaves(run: Run, operand: Operand, partner: Operand) -> bool:
    """Whether the partner is a tensor that moves with the module or its input."""
    if operand.value.device.excludes(partner.value.device):
        return not operand.may_meet(partner)
    if not partner.value.device.is_like:
        return False
    return all(is_input(run, atom, partner.is_tensor) for atom in partner.value.device.likes)


def is_input(run: Run, atom: Like, is_tensor: bool) -> bool:
    source = outermost(atom.source)
    if not isinstance(source, ir.Parameter):
        return is_tensor
    function = run.running[0]
    if not isinstance(function, ir.Def) or source not in function.params:
        return False
    return (
        is_tensor
        or is_tensor_type(source.annotation)
        or (is_first_input(function, source) and source.annotation is None)
        or source.name in evident_names(run, function)
    )
