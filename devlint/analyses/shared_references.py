"""Twins: one tensor that a container holds twice, moved an item at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from devlint.event import TwinUse
from devlint.interpret.core.arguments import Arguments
from devlint.interpret.core.branch_conditions import last_word
from devlint.interpret.core.interpreter import Machine
from devlint.lower import ir
from devlint.queries.name_conventions import source_text, written
from devlint.values.instance import ANY, Instance
from devlint.values.tags import Tag
from devlint.values.value import Kind, Value

#: Methods that give a tensor as it is where it is there already.
MOVES = frozenset({"to", "cuda"})
#: Functions, by their names, that move all that a container holds.
MOVERS = re.compile(r"^(\w+_)?to_(\w+_)?(device|cuda|gpu)$|^recursive_to$|^tree_map$")


@dataclass(frozen=True, slots=True)
class Repeats(Tag):
    """Of a container that holds the object called `name` more than once."""

    name: str
    is_tensor: bool


@dataclass(frozen=True, slots=True)
class Twin(Tag):
    """Of a tensor that on the CPU is the same as another one; both were moved at `node`."""

    node: ir.Node
    name: str
    is_tensor: bool


def paired(
    machine: Machine, node: ir.Node, parts: Sequence[ir.Expression], values: list[Value]
) -> list[Value]:
    """The items of a container that is written out; those that move one tensor are twins."""
    if sum(map(is_move, parts)) < 2:
        return values
    texts = [source_text(part) if is_move(part) else None for part in parts]
    return [
        twin(machine, node, part, value) if text and texts.count(text) > 1 else value
        for part, value, text in zip(parts, values, texts, strict=True)
    ]


def is_move(node: ir.Expression) -> bool:
    """Whether it moves what has a name."""
    return (
        isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attribute)
        and node.func.name in MOVES
        and isinstance(node.func.value, (ir.Name, ir.Attribute))
    )


def twin(machine: Machine, node: ir.Node, part: ir.Expression, value: Value) -> Value:
    assert isinstance(part, ir.Call)
    assert isinstance(part.func, ir.Attribute)
    before = machine.evaluate(part.func.value)
    is_copied = value.device.may_accelerate and not before.device.may_accelerate
    if not is_copied or value.kind not in (Kind.TENSOR, Kind.UNKNOWN):
        return value
    name = written(part.func.value)
    return value.tagged(Twin(node, name, before.kind is Kind.TENSOR))


def repeats(machine: Machine, parts: Sequence[ir.Expression]) -> Repeats | None:
    """What a container that is written out holds more than once."""
    names = [part.id for part in parts if part.__class__ is ir.Name]
    if len(names) == len(set(names)):
        return None
    name = next(name for name in names if names.count(name) > 1)
    value = machine.lookup(name)
    if value is None or value.kind not in (Kind.TENSOR, Kind.UNKNOWN):
        return None
    return None if value.device.may_accelerate else Repeats(name, value.kind is Kind.TENSOR)


def of_each(machine: Machine, node: ir.Comprehension, value: Value) -> Value:
    """`[t.to(device) for t in (x, x)]`."""
    if not is_move(node.element) or len(node.clauses) != 1 or not value.device.may_accelerate:
        return value
    held = machine.evaluate(node.clauses[0].iter).tag(Repeats)
    if held is None:
        return value
    return value.tagged(Twin(node, held.name, held.is_tensor))


def moved(machine: Machine, node: ir.Call, arguments: Arguments, value: Value) -> Value:
    """What a function gives; one that by its name moves what is in a container gives twins."""
    for argument in arguments.positional:
        held = argument.value.tag(Repeats)
        if held is not None and MOVERS.search(last_word(node.func)):
            item = Value(tags=(Twin(node, held.name, held.is_tensor),))
            return machine.make(node, Instance(items={ANY: item}), Kind.CONTAINER)
    return value


def used(
    machine: Machine, value: Value, node: ir.Node, how: Literal["changed", "compared", "trained"]
) -> None:
    """A change shows in the other twin on the CPU, and on an accelerator it does not."""
    twin = value.tag(Twin)
    if twin is not None and (twin.is_tensor or how == "changed"):
        machine.emit(TwinUse(node, twin.node, twin.name, how))


def compared(machine: Machine, node: ir.Compare, one: Value, other: Value) -> None:
    """`first is second`."""
    if one.tag(Twin) is not None and one.tag(Twin) == other.tag(Twin):
        used(machine, one, node, "compared")
