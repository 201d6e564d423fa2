"""Objects whose attributes are tensors, of classes that the configuration names."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from devlint.facts.effect import Fact, Moves
from devlint.interpret.core import module_state
from devlint.interpret.core.call import Arguments, Call
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import DeviceUsed
from devlint.interpret.tensors import transfers
from devlint.lower import ir
from devlint.queries.name_conventions import names_device, written
from devlint.values.device import UNKNOWN, Device, like
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.value import Kind, Value

#: Attributes that are numbers, as those that count (`num_nodes`).
NUMBERS = frozenset({"batch_size", "shape", "ndim", "dtype"})


@dataclass(frozen=True, slots=True)
class BatchClass(Fact):
    """An object whose attributes are tensors, which its `to` moves together."""


def is_batch(machine: Run, value: Value) -> bool:
    return value.kind is Kind.OBJECT and isinstance(machine.instance(value.ref).type, BatchClass)


def made(machine: Run, fact: BatchClass, call: Call) -> Value:
    """What is given by name are attributes; the others are where all that is given is."""
    arguments = call.arguments
    given = [a.value for a in arguments]
    given += [item for value in given for item in items_of(machine, value)]
    tensors = [each for each in given if each.kind is Kind.TENSOR]
    places = {each.device for each in tensors}
    is_known = len(places) == 1 and not arguments.is_open
    device = places.pop() if is_known else UNKNOWN
    attributes = {name: each.value for name, each in arguments.keywords.items()}
    origin = tensors[0].origin if is_known else None
    return machine.make(
        call.node, Instance(fact, None, device, origin, attributes=attributes), Kind.OBJECT
    )


def given(machine: Run, fact: BatchClass, parameter: ir.Parameter) -> Value:
    """An argument that is annotated as such a batch."""
    origin = Origin(parameter, "the argument")
    place = like(parameter, parameter.name)
    machine.store(parameter, Instance(fact, None, place, origin))
    return Value(Kind.OBJECT, ref=parameter)


def attribute(machine: Run, node: ir.Attribute, whole: Value) -> Value | None:
    """A tensor where the batch is, or the device of that."""
    instance = machine.instance(whole.ref)
    if not is_batch(machine, whole) or node.name in instance.attributes:
        return None
    if names_device(node.name):
        known = instance.device if instance.device.is_known else None
        return Value(Kind.DEVICE, known or like(whole.ref, written(node.value)))
    if node.name in NUMBERS or node.name.startswith("num_"):
        return Value(Kind.NUMBER)
    return Value(Kind.TENSOR, instance.device, origin=instance.origin)


def moved(machine: Run, node: ir.Call, fact: Moves, receiver: Value, arguments: Arguments) -> Value:
    """The batch that `to` gives is where it is told, whether it is the same or a new one.

    As a statement it has to be the same; otherwise nobody knows where the old one is.
    """
    device = transfers.destination(fact, arguments)
    if device is None:
        return receiver
    machine.publish(DeviceUsed(node, f"{written(node.func)}(..)", device))
    origin = Origin(node, f"moved to {device.told} here", machine.frame.path)
    ref = receiver.ref if machine.is_dropped(node) else machine.key(node)
    return relocated(machine, receiver, device, origin, ref)


def relocated(machine: Run, value: Value, device: Device, origin: Origin, ref: Hashable) -> Value:
    instance = machine.instance(value.ref)
    there = instance.with_each(
        lambda item: (
            replace(item, device=device, origin=origin, payload=None)
            if item.kind is Kind.TENSOR
            else replace(item, device=UNKNOWN)
        )
    )
    if ref != value.ref:
        module_state.escape(machine, value)
    machine.store(ref, replace(there, device=device, origin=origin))
    return replace(value, ref=ref)
