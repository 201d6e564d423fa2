"""Batches: what loaders, tokenizers and transforms give, on the CPU until it is moved."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

from devlint.interpret.core import device_expressions
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child, Made
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.values.alternatives import possible_objects
from devlint.values.device import ON_CPU, UNKNOWN, Device
from devlint.values.dimensions import ARRAY
from devlint.values.instance import ANY, Instance
from devlint.values.origin import Origin
from devlint.values.source import Batch
from devlint.values.tags import Tag
from devlint.values.value import Kind, Value

LOADER = "loader"
#: A loader that makes tensors of all that its data set gives.
STACKER = "stacker"
LOADERS = frozenset({LOADER, STACKER})
DATASET = "dataset"
#: A loader whose batches are objects that cannot be moved.
ITERATOR = "iterator"
GIVEN = "given"
#: What gives batches, by what it is called.
GIVERS = {
    LOADER: "the loader",
    STACKER: "the loader",
    DATASET: "the data set",
    ITERATOR: "the iterator",
}
#: What is taken for a loader, by the loop over it.
INFERRED = "a loader"
#: What gives a dict of tensors.
TOKENIZER = "the tokenizer"
#: What gives several things, of which one is moved.
TOGETHER = "a caller"
#: What gives tensors that it has stacked.
STACKING = frozenset({GIVERS[LOADER], GIVERS[ITERATOR], INFERRED})


@dataclass(frozen=True, slots=True)
class Collates(Tag):
    """Of a loader whose functions are in view: the call that made it, what gives a batch, and
    whether something takes that to the device of the loader."""

    node: ir.Node
    give: Callable[[Run], Value] = field(compare=False, repr=False)
    is_carried: bool = False


def batch(
    machine: Run,
    node: ir.Node,
    giver: str,
    *,
    is_stacked: bool = False,
    is_movable: bool = True,
) -> Value:
    """Something on the CPU: a tensor, or what holds tensors.

    It may be an object that moves in place: its instance tells whether it has been moved, or was
    handed to code out of view that may have done so.
    """
    place = device_expressions.device_name(machine)
    is_movable = is_movable and giver != GIVERS[ITERATOR]
    source = Batch(giver, place, is_movable=is_movable, is_stacked=is_stacked)
    origin = Origin(node, f"given by {giver} here, on the CPU", machine.frame.path, source)
    made = machine.put(given_as(origin), Instance(device=ON_CPU))
    return replace(made, device=ON_CPU, origin=origin)


def is_batch(value: Value) -> bool:
    return isinstance(value.source, Batch)


def settled(machine: Run, value: Value) -> Value:
    """A batch as it is by now."""
    if value.origin is None or value.origin.source.__class__ is not Batch:
        return value
    whole = given_as(value.origin)
    for ref in (value.ref, whole) if value.ref is not None else (whole,):
        device = machine.instance(ref).device
        if value.device.is_cpu and not device.is_cpu:
            return replace(value, device=UNKNOWN if is_item(value) else device)
    return value


def is_item(value: Value) -> bool:
    """An item of a tuple is rather a tensor, which does not move in place, than an object."""
    return all(
        isinstance(each, Child) and isinstance(each.key, tuple)
        for each in possible_objects(value.ref)
    )


def given_as(origin: Origin) -> Hashable:
    """The object that a batch was when it was given."""
    return (GIVEN, Made(origin.node, origin.path) if origin.path else origin.node)


def clashed(machine: Run, value: Value) -> None:
    """A batch has met what is elsewhere: whatever else of it does is the same mistake."""
    if value.origin is not None and is_batch(value):
        machine.store(given_as(value.origin), Instance())


def read(machine: Run, loader: Value, node: ir.Node) -> Value:
    """What iterating over a loader gives."""
    giver = GIVERS[str(loader.payload)]
    tag = loader.tag(Collates)
    if tag is not None:
        whole = tag.give(machine)
        if is_structure(machine, whole):
            return filled(machine, whole, loader, node, is_carried=tag.is_carried)
    if gives_cpu(machine, loader):
        return batch(machine, node, giver, is_stacked=loader.payload == STACKER)
    if loader.device.may_accelerate:
        return placed(machine, node, giver, loader.device)
    return Value(ref=machine.key(node))


def given(machine: Run, value: Value, node: ir.Node) -> Value | None:
    """What an object gives as an item: a batch, or another one of its role; None of any other."""
    if value.kind is not Kind.OBJECT:
        return None
    if value.payload in GIVERS:
        return read(machine, value, node)
    return value if value.payload in machine.libraries.grids else None


def is_structure(machine: Run, value: Value) -> bool:
    """Whether it is a container of what is known, or an object of a class in view."""
    instance = machine.instance(value.ref)
    is_known = value.kind is Kind.CONTAINER and bool(instance.items)
    return is_known or isinstance(instance.type, ClassInfo)


def filled(machine: Run, whole: Value, loader: Value, node: ir.Node, *, is_carried: bool) -> Value:
    """What a loader has put together, with a batch for each tensor of which nothing else is known,
    if it gives what is on the CPU; for each tensor, if that is carried elsewhere."""
    if not is_carried and not gives_cpu(machine, loader):
        return whole
    giver = GIVERS[str(loader.payload)]
    if is_carried:
        leaf = placed(machine, node, giver, loader.device)
    else:
        leaf = batch(machine, node, giver, is_movable=False)
    seen = set[Hashable]()

    def given(value: Value) -> Value:
        if is_structure(machine, value):
            if value.ref not in seen:
                seen.add(value.ref)
                machine.store(value.ref, machine.instance(value.ref).with_each(given))
            return value
        is_open = is_carried or not value.device.may_accelerate
        if not is_open or value.kind not in (Kind.TENSOR, Kind.UNKNOWN):
            return value
        return replace(value, device=leaf.device, ref=None, origin=leaf.origin, tags=())

    return given(whole)


def carried(loader: Value, device: Device, origin: Origin | None = None) -> Value:
    """A loader whose batches something takes to a device."""
    found = replace(loader, device=device, origin=origin)
    tag = loader.tag(Collates)
    return found if tag is None else found.tagged(replace(tag, is_carried=True))


def placed(machine: Run, node: ir.Node, giver: str, device: Device) -> Value:
    """A batch that the loader has put on an accelerator."""
    origin = Origin(node, f"given by {giver} here, on {device.told}", machine.frame.path)
    made = machine.put(given_as(origin), Instance(device=device, origin=origin))
    return replace(made, device=device, origin=origin)


def part(whole: Value, item: Value) -> Value:
    """An item of a batch; what a loader has stacked has at least one dimension."""
    source = whole.source
    if isinstance(source, Batch) and source.giver == TOKENIZER:
        return replace(item, kind=Kind.TENSOR, dimensions=ARRAY)
    is_whole = isinstance(whole.ref, tuple) and whole.ref[0] == GIVEN
    if is_whole and isinstance(source, Batch) and source.giver in STACKING:
        return replace(item, dimensions=ARRAY)
    return item


def some_part(value: Value) -> Value:
    """What an object holds somewhere."""
    return part(value, Value(device=value.device, ref=Child(value.ref, ANY), origin=value.origin))


def gives_cpu(machine: Run, value: Value) -> bool:
    """Whether what a loader or a data set gives is on the CPU by now."""
    return value.device.is_cpu and (value.ref is None or machine.instance(value.ref).device.is_cpu)
