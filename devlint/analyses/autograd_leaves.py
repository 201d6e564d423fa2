"""Leaves: tensors that gradients are kept for, and what is left of them after a move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from devlint.event import LostLeaf
from devlint.interpret.core import module_state
from devlint.interpret.core.arguments import Arguments
from devlint.interpret.core.interpreter import Machine
from devlint.lower import ir
from devlint.queries.name_conventions import is_self, written
from devlint.values.device import Device
from devlint.values.tags import Tag
from devlint.values.value import PARAMETER, Value


@dataclass(frozen=True, slots=True)
class Leaf(Tag):
    """Of a tensor that was made with `requires_grad=True`."""

    made: ir.Node


@dataclass(frozen=True, slots=True)
class Moved(Tag):
    """Of the copy of a leaf on another device: it requires gradients, and keeps none."""

    move: ir.Call
    made: ir.Node
    device: Device
    is_parameter: bool


def made(node: ir.Node, arguments: Arguments, value: Value) -> Value:
    """What a factory gives, if it was told to keep gradients."""
    given = arguments.keywords.get("requires_grad")
    if given is None or given.value.payload is not True:
        return value
    return value.tagged(Leaf(node))


def moved(node: ir.Call, value: Value, device: Device, result: Value) -> Value:
    """A tensor that was moved; on an accelerator it is another one."""
    if not device.is_accelerator or value.device.may_accelerate:
        return result
    leaf = value.tag(Leaf)
    if leaf is not None:
        return result.tagged(Moved(node, leaf.made, device, False))
    is_new = isinstance(node.func, ir.Attribute) and isinstance(node.func.value, ir.Call)
    if value.payload == PARAMETER and is_new and isinstance(node.func, ir.Attribute):
        return result.tagged(Moved(node, node.func.value, device, True))
    return result


def assigned(machine: Machine, node: ir.Assign, value: Value) -> None:
    """A parameter's copy becomes an attribute; the copy of a leaf takes its name."""
    copy = value.tag(Moved)
    if copy is None:
        return
    for target in node.targets:
        if copy.is_parameter:
            if isinstance(target, ir.Attribute) and is_self(target.value) and machine.frame.layer:
                lost(machine, copy, target, "parameter")
        elif copy.made in machine.notes.held_leaves and written(target) == receiver(copy.move):
            lost(machine, copy, target, "built")  # The leaf is out of reach from here on.


def receiver(move: ir.Call) -> str:
    """What is moved, as it is written."""
    return written(move.func.value) if isinstance(move.func, ir.Attribute) else ""


def optimized(machine: Machine, node: ir.Call, arguments: Arguments) -> None:
    """An optimizer takes hold of leaves, and of nothing else."""
    given = next(iter(arguments), None)
    for part in module_state.parts(machine, given.value, set()) if given is not None else ():
        leaf, copy = part.tag(Leaf), part.tag(Moved)
        if leaf is not None:
            machine.notes.held_leaves.add(leaf.made)
        elif copy is not None:
            lost(machine, copy, node, "given")


def read(machine: Machine, node: ir.Attribute, whole: Value) -> None:
    """The gradient of the copy of a leaf is None."""
    is_kept = "retain_grad" in machine.module.words
    copy = whole.tag(Moved)
    if node.name == "grad" and copy is not None and not is_kept:
        lost(machine, copy, node, "gradient")


def lost(
    machine: Machine,
    copy: Moved,
    use: ir.Node,
    how: Literal["parameter", "built", "given", "gradient"],
) -> None:
    machine.emit(LostLeaf(copy.move, copy.made, use, copy.device, how))
