"""Moves: where `.to(..)`, `.cuda()`, `.cpu()` and their like take a value."""

from __future__ import annotations

from dataclasses import replace

from devlint.facts.effect import Makes, Moves
from devlint.facts.table import fact, method_fact
from devlint.interpret.core import batches, module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import outermost
from devlint.interpret.core.signals import Converted, DeviceUsed, Transferred, Transferring
from devlint.interpret.tensors.operations import chosen_as
from devlint.lower import ir
from devlint.queries.name_conventions import (
    item_name,
    last_name,
    names_accelerator,
    names_destination,
    place_named,
    written,
)
from devlint.queries.tensor_evidence import shown_to_be_tensors
from devlint.values.device import ON_CPU, ON_CUDA, UNKNOWN, Device, On
from devlint.values.origin import Origin
from devlint.values.source import Factory, Output, Source, Taken, is_stacked
from devlint.values.tags import Unfollowed
from devlint.values.value import NOTHING, PARAMETER, Kind, Value, as_device


def device_named(argument: Argument) -> Device | None:
    """The device that an argument names; None for what names none, such as a dtype."""
    value, node = argument.value, argument.node
    device = as_device(value)
    if device is not None:
        is_name = isinstance(node, (ir.Name, ir.Attribute))
        return chosen_as(device, written(node)) if is_name else device
    if value.kind is Kind.CONSTANT and isinstance(value.payload, int):
        return Device(frozenset({On("cuda", value.payload)}))
    item = item_name(node)
    text = f'{written(node).removesuffix("[..]")}["{item}"]' if item else written(node)
    if is_integer(value):
        return place_named(text)
    if value.kind is not Kind.TENSOR and (item or last_name(node)) == "dtype":
        return None
    # Of something of which nothing is known, or by what was not followed.
    is_lost = value.kind is Kind.DEVICE or value.tag(Unfollowed) is not None
    is_named = value.kind is not Kind.TENSOR and not is_lost and names_destination(node)
    if is_named and (value.device.is_like or not value.device.is_known):
        return place_named(text)
    if value.kind is Kind.TENSOR or value.device.is_known:
        return value.device
    is_imported = value.kind is Kind.IMPORTED and str(value.payload).startswith("torch.")
    return None if is_imported else UNKNOWN


def is_integer(value: Value) -> bool:
    """Whether a value is an argument that is annotated as one, or the number of an accelerator by
    its name: a dtype is a number, too."""
    if value.kind is not Kind.NUMBER or not isinstance(value.ref, ir.Parameter):
        return False
    annotation = value.ref.annotation
    if annotation is None:
        return names_accelerator(value.ref.name)
    return written(annotation) == "int"


def destination(fact_: Moves, arguments: Arguments) -> Device | None:
    """Where a move leads; None when it is none (`.to(dtype)`, `.to(None)`)."""
    if fact_.how == "cpu":
        return ON_CPU
    if fact_.how in ("cuda", "to_accelerator"):
        return on_accelerator(fact_, arguments)
    if fact_.how == "type":
        return of_type(arguments)
    given = arguments.get(0, "device") or arguments.get(None, "other")
    if given is not None:
        return None if given.value.is_none else device_named(given)
    is_dtype_only = "dtype" in arguments.keywords or "memory_format" in arguments.keywords
    return None if is_dtype_only and not arguments.is_open else UNKNOWN


def on_accelerator(fact_: Moves, arguments: Arguments) -> Device:
    kind = "cuda" if fact_.how == "cuda" else fact_.where
    given = arguments.get(0, "device")
    if given is not None and given.value.kind is Kind.CONSTANT:
        index = given.value.payload
        if isinstance(index, int) and not isinstance(index, bool):
            return Device(frozenset({On(kind, index)}))
    named = as_device(given.value) if given is not None else None
    if named is not None and named.is_known and not named.is_cpu:
        return named if any(isinstance(atom, On) for atom in named.atoms) else ON_CUDA
    return Device(frozenset({On(kind)}))


def of_type(arguments: Arguments) -> Device | None:
    """`.type("torch.cuda.FloatTensor")` moves; `.type(torch.float)` does not."""
    given = arguments.get(0, "dtype")
    if given is None:
        return None
    if given.value.kind in (Kind.CONSTANT, Kind.IMPORTED):
        return device_of_type(given.value)
    is_dtype = isinstance(given.node, ir.Attribute) and given.node.name == "dtype"
    return None if is_dtype else UNKNOWN


def device_of_type(type_: Value) -> Device | None:
    """Where tensors of a type are: `torch.cuda.FloatTensor` on CUDA, `torch.FloatTensor` on the
    CPU, either of them on a device chosen at run time; None for a dtype."""
    if type_.device.is_known:
        return type_.device
    made = fact(str(type_.payload))
    if not isinstance(made, Makes):
        return None
    return ON_CUDA if made.device else ON_CPU


def is_taken(value: Value) -> bool:
    """Whether a move, as it is written, has put a value where it is."""
    match value.origin and value.origin.node:
        case ir.Call(func=ir.Attribute(name=name)):
            return isinstance(method_fact(name), Moves)
    return False


def moved(machine: Run, node: ir.Call, fact_: Moves, value: Value, arguments: Arguments) -> Value:
    """Apply a move to a value: modules move in place, tensors give a new one."""
    device = destination(fact_, arguments)
    name = node.func.name if isinstance(node.func, ir.Attribute) else fact_.how
    call = Call(node, name, value, arguments)
    if device is None and fact_.how == "type" and next(iter(arguments), None) is None:
        # The name of its type.
        return Value(Kind.IMPORTED, value.device) if value.device.is_known else NOTHING
    if device is None:
        converted = replace(value)  # Another value, so that tests of it are others.
        return machine.revise(Converted(converted, call))
    source: Source | None = None
    if device.is_cpu and not value.device.is_cpu:
        # Who converts a tensor by the type of those on the CPU does not mean to move it.
        is_meant = fact_.how != "type" or (
            value.device.is_partly_known and not value.device.is_like
        )
        source = Taken(node, value.device) if is_meant else Factory(node, name, False)
    origin = Origin(node, f"moved to {device.told} here", machine.frame.path, source)
    if any(isinstance(atom, On) and atom.type != "cpu" for atom in device.atoms):
        machine.notes.names_accelerator = True
    machine.publish(Transferring(call, fact_, value, device))
    machine.publish(DeviceUsed(node, f"{written(node.func)}(..)", device))
    result = transferred(machine, value, device, origin, is_by_type=fact_.how == "type")
    return machine.revise(Transferred(result, call, value, device))


def transferred(
    machine: Run, value: Value, device: Device, origin: Origin, *, is_by_type: bool
) -> Value:
    """A value on another device: modules and unknown objects move in place, and what is there
    already is itself, which matters of a parameter."""
    if module_state.is_module(machine, value):
        move(machine, value, device, origin)
        return value
    if value.payload == PARAMETER and value.device == device:
        return value
    is_tensor = value.kind in (Kind.TENSOR, Kind.CONDITION)  # What is moved is no truth value.
    if is_tensor or is_stacked(value.source):
        return Value(Kind.TENSOR, device, value.dimensions, origin=origin)
    if isinstance(value.source, Output):  # Whatever a model gives, a move gives another one.
        return replace(value, device=device, origin=origin, ref=None)
    if value.kind in (Kind.UNKNOWN, Kind.OBJECT):
        is_object = value.ref is not None and not is_kept(machine, value, origin.node)
        if is_object and not is_by_type:  # No object but a module has that.
            move(machine, value, device, origin)
        return replace(value, device=device, origin=origin)
    return value


def is_kept(machine: Run, value: Value, node: ir.Node) -> bool:
    """Whether a part of a batch stays where it is, as the tensor that it is shown to be."""
    if not batches.is_batch(value) or not batches.is_item(value) or machine.is_dropped(node):
        return False
    shown = machine.once(shown_to_be_tensors, machine.function or machine.module)
    match node:
        case ir.Call(func=ir.Attribute(value=receiver)):
            return written(receiver) in shown
    return False


def move(machine: Run, value: Value, device: Device, origin: Origin) -> None:
    """Move a module in place; a model of a library of which that is a part is nowhere as a whole
    then, unless it is there."""
    module_state.move(machine, value, device, origin)
    if module_state.is_part_of_model(machine, value.ref):
        whole = outermost(value.ref)
        instance = machine.instance(whole)
        if instance.device != device:
            machine.store(whole, replace(instance, device=UNKNOWN, origin=None))
