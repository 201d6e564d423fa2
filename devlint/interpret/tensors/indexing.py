"""Tensors indexed by tensors."""

from __future__ import annotations

from dataclasses import replace

from devlint.event import Combine, Operand
from devlint.facts.dimensions import Rank
from devlint.facts.effect import Follows
from devlint.facts.moves import METHODS
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child, display_kind, outermost
from devlint.interpret.core.signals import Meeting
from devlint.interpret.tensors.certain_tensors import is_moved, is_moved_tensor
from devlint.interpret.tensors.dimensions import of_items
from devlint.lower import ir
from devlint.queries.data_uses import is_mask, masks
from devlint.queries.name_conventions import written
from devlint.values.dimensions import ARRAY, UNRANKED
from devlint.values.instance import ItemKey
from devlint.values.value import NOTHING, Kind, Value

#: The methods that give a tensor of another type.
CONVERSIONS = frozenset(
    name for name, fact in METHODS.items() if isinstance(fact, Follows) and fact.rank is Rank.SAME
)


def indexed(machine: Run, node: ir.Subscript, whole: Value, index: Value) -> Value:
    """`whole[index]`, read; of what has no dimension there is no item, nor where it raises, and by
    a name only of something else in its place."""
    dimensions = of_items(whole.dimensions, indices(machine, node.index, index))
    if whole.kind is Kind.ARRAY:
        return replace(whole, dimensions=dimensions)
    whole = replace(whole, kind=Kind.TENSOR)
    key = index.payload
    is_number = isinstance(key, int) and not isinstance(key, bool)
    if isinstance(key, str) or (whole.is_scalar and is_number):
        return NOTHING
    if not looked_up(machine, node, whole, index):
        return NOTHING
    return replace(whole, dimensions=dimensions, payload=None, tags=())


def is_table(machine: Run, whole: Value, index: Value) -> bool:
    """Whether it is a tensor or an array: what is not known is one by what it is indexed with,
    which has dimensions, or is moved as a whole, and is no key of its own."""
    if whole.kind in (Kind.TENSOR, Kind.ARRAY):
        return True
    if whole.kind is not Kind.UNKNOWN or not whole.device.is_partly_known:
        return False
    if index.kind is Kind.TENSOR and index.is_scalar is False:
        return True
    return is_moved(machine, index.ref) and outermost(index.ref) != outermost(whole.ref)


def sliced(node: ir.Subscript, whole: Value) -> Value:
    """`x[:, i]` has dimensions and is where `x` is, whatever was assigned to items of it: a tensor
    on an accelerator, where no array is."""
    kind = Kind.TENSOR if whole.device.is_accelerator else Kind.UNKNOWN
    dimensions = ARRAY if whole.device.is_partly_known else UNRANKED
    part = None if whole.ref is None else Child(whole.ref, ItemKey(node))
    return Value(kind, whole.device, dimensions, part, origin=whole.origin)


def looked_up(machine: Run, node: ir.Subscript, whole: Value, index: Value) -> bool:
    """An accelerator takes indices from the CPU, but not the other way about: whether it may."""
    parts = index_parts(machine, node.index, index)
    is_possible = True
    table = Operand(node.value, written(node.value), whole, role="table")
    are_arrays = any(part.is_scalar is False for _, part in parts)
    for part_node, part in parts:
        # What is moved as a whole is hardly ever one number.
        is_array = part.is_scalar is False or is_moved(machine, part.ref)
        indices = Operand(part_node, written(part_node), part, not is_array)
        if is_array and is_moved_tensor(machine, part) and is_left_behind(whole, part):
            machine.emit(
                Combine(node, "indexing", (table, indices), machine.call, machine.frame.path)
            )
            is_possible = False
        # One integer of a tensor is 0-dimensional, and then read as a number.
        is_item = part.kind is Kind.TENSOR and not is_argument(machine, part_node, part)
        if are_arrays or not is_item:
            machine.publish(Meeting(node, "indexing", [table, indices], [table]))
    return is_possible


def is_argument(machine: Run, node: ir.Expression, value: Value) -> bool:
    """Whether an index is an argument, of whatever type that is made: hardly ever one number."""
    while isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute):
        if node.func.name not in CONVERSIONS:
            return False
        node = node.func.value
    held = machine.lookup(node.id) if isinstance(node, ir.Name) else None
    return isinstance((held or value).ref, ir.Parameter)


def is_left_behind(whole: Value, part: Value) -> bool:
    return whole.device.is_cpu and part.device.is_accelerator


def index_parts(
    machine: Run, node: ir.Expression, index: Value
) -> list[tuple[ir.Expression, Value]]:
    """The indices one by one, those that may be tensors."""
    return [
        (part_node, part)
        for part_node, part in indices(machine, node, index)
        if part.kind is Kind.TENSOR or (part.kind is Kind.UNKNOWN and part.device.is_known)
    ]


def indices(machine: Run, node: ir.Expression, index: Value) -> list[tuple[ir.Expression, Value]]:
    """The indices one by one."""
    if index.kind is not Kind.CONTAINER or isinstance(node, ir.Slice):
        return [(node, index)]
    if display_kind(index.ref) == "list":
        return [(node, Value(Kind.ARRAY, dimensions=ARRAY))]
    items = items_of(machine, index)
    nodes = node.items if isinstance(node, ir.Display) else ()
    return list(zip(nodes if len(nodes) == len(items) else [node] * len(items), items, strict=True))


def assigned(machine: Run, target: ir.Subscript, whole: Value, index: Value, value: Value) -> None:
    """`whole[index] = value`: free by slices and numbers, strict by tensors and arrays of indices,
    and by truths, however many these are.

    What is assigned to may be anywhere: `_index_put_impl_` moves the indices there.
    """
    parts = [part for _, part in indices(machine, target.index, index)]
    is_strict = any(p.kind in (Kind.TENSOR, Kind.ARRAY) and p.is_scalar is False for p in parts)
    if index.kind is Kind.TENSOR or index.device.is_known:
        known = machine.once(masks, machine.function or machine.module)
        is_strict = is_strict or is_mask(target.index, known)
    if is_strict and value.is_scalar is False:
        met = [
            Operand(target.value, written(target.value), whole),
            Operand(target, "the assigned value", value),
        ]
        machine.emit(
            Combine(target, "index assignment", tuple(met), machine.call, machine.frame.path)
        )
        machine.publish(Meeting(target, "index assignment", met, met))
