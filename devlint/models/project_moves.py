"""Functions of a project that move what they are given, and what that holds."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from devlint.facts.effect import Fact
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import items_of, numbered
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.signals import DeviceUsed, Transferred
from devlint.interpret.tensors import transfers
from devlint.lower import ir
from devlint.models import project_batches
from devlint.queries.name_conventions import last_name, names_device, written
from devlint.values.device import UNKNOWN, Device, On, asked, chosen
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.value import NOTHING, Kind, Value, as_device

#: What is on no device.
ELSEWHERE = frozenset(
    {Kind.CONSTANT, Kind.NUMBER, Kind.CONDITION, Kind.DEVICE, Kind.FUNCTION, Kind.CLASS}
)
HELD = (Kind.TENSOR, Kind.MODULE, Kind.CONTAINER)
#: Containers in containers deeper than this are taken as wholes.
DEPTH = 4


@dataclass(frozen=True, slots=True)
class Relocates(Fact):
    """Moves what it is given, and what that holds, to the argument that is a device, or else to
    one chosen at run time; a method that is given nothing else moves its receiver."""


def relocates(machine: Run, fact: Relocates, call: Call) -> Value:
    """Which argument is the device, and which are moved, their kinds tell."""
    node, arguments = call.node, call.arguments
    place = next((a for a in by_name(arguments) if is_place(a)), None)
    given = moved_of(arguments, place)
    device = destination(node, place, arguments)
    if not given:
        return NOTHING
    if len(given) == 1 and not arguments.rest:
        return moved(machine, node, given[0].value, device)
    if place is None and not all(a.value.kind in HELD for a in given):
        for each in given:  # One of them is a device, perhaps.
            module_state.escape(machine, each.value)
        return NOTHING
    return several(machine, node, [a.value for a in given], device)


def by_name(arguments: Arguments) -> list[Argument]:
    """The arguments, first those whose name says that they are the device."""
    named = [a for name, a in arguments.keywords.items() if names_device(name)]
    return [*named, *arguments.positional]


def is_place(argument: Argument) -> bool:
    value = argument.value
    if as_device(value) is not None:
        return True
    if value.kind is Kind.CONSTANT:
        return isinstance(value.payload, int) and not isinstance(value.payload, bool)
    return value.kind not in HELD and names_device(last_name(argument.node))


def moved_of(arguments: Arguments, place: Argument | None) -> list[Argument]:
    """What is moved: what is given before the device, or behind it where that comes first.

    Options come last, or by name.
    """
    given = [*arguments.positional, *arguments.rest] or [*arguments.keywords.values()]
    index = next((i for i, a in enumerate(given) if a is place), None)
    if index is not None:
        given = given[:index] or given[1:]
    return [a for a in given if a is not place and a.value.kind not in ELSEWHERE]


def destination(node: ir.Call, place: Argument | None, arguments: Arguments) -> Device:
    """Where it moves to: without a device it chooses one by itself; None may be any."""
    if place is not None:
        return asked(transfers.device_named(place) or UNKNOWN)
    is_told = any(map(names_device, arguments.keywords)) or any(a.value.is_none for a in arguments)
    is_unclear = arguments.is_open or is_told
    return UNKNOWN if is_unclear else chosen(f"{written(node.func)}()'s device")


def moved(machine: Run, node: ir.Call, value: Value, device: Device) -> Value:
    """A value that a function moves and gives back."""
    if any(isinstance(atom, On) and atom.type != "cpu" for atom in device.atoms):
        machine.notes.names_accelerator = True
    machine.publish(DeviceUsed(node, f"{written(node.func)}(..)", device))
    origin = Origin(node, f"moved to {device.told} here", machine.frame.path)
    return relocated(machine, node, value, device, origin, machine.key(node))


def several(machine: Run, node: ir.Call, values: list[Value], device: Device) -> Value:
    items = numbered(values)
    whole = machine.make(node, Instance(items=items), Kind.CONTAINER)
    return moved(machine, node, whole, device)


def relocated(
    machine: Run,
    node: ir.Call,
    value: Value,
    device: Device,
    origin: Origin,
    ref: Hashable,
    depth: int = 0,
) -> Value:
    """`ref` is the key of what is made new."""
    if value.kind in ELSEWHERE or value.is_none:
        return value
    if value.kind is Kind.TENSOR:
        result = Value(Kind.TENSOR, device, value.dimensions, origin=origin)
        call = Call(node, "", value, Arguments())
        return machine.revise(Transferred(result, call, value, device))
    if value.kind is Kind.CONTAINER:
        if not items_of(machine, value) or depth == DEPTH:
            module_state.escape(machine, value)
            return Value(device=device, ref=ref, origin=origin)
        items = {
            key: relocated(machine, node, item, device, origin, Child(ref, key), depth + 1)
            for key, item in machine.instance(value.ref).items.items()
        }
        module_state.escape(machine, value)  # It may have been changed in place.
        machine.store(ref, Instance(items=items))
        return Value(Kind.CONTAINER, ref=ref)
    if value.kind is Kind.OBJECT and value.payload in batches.GIVERS:
        return replace(value, device=device, origin=origin)
    if project_batches.is_batch(machine, value):
        return project_batches.relocated(machine, value, device, origin, ref)
    if value.ref is not None:
        module_state.move(machine, value, device, origin)
    is_module = module_state.is_module(machine, value)
    return value if is_module else replace(value, device=device, origin=origin)
