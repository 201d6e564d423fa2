"""What is known of the devices of what calls in view are given."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Loaded
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.lower import ir
from devlint.project.torch_users import comes_to_torch
from devlint.queries.module_functions import attributes, guarded_calls
from devlint.values.device import Device, Like
from devlint.values.source import Factory, PlainAttribute
from devlint.values.tags import Traced
from devlint.values.value import NOTHING, Kind, Value, as_device

#: What is called in the course of a program that makes something of a model.
PROGRAMS = frozenset({"backward", "load_state_dict"})


def is_placed(machine: Run, value: Value) -> bool:
    """Whether a caller in view says where a value is, or has made it itself."""
    is_made = value.kind is Kind.TENSOR and not value.device.is_known
    return is_made or is_device_bound(machine, value)


def may_accelerate(machine: Run, value: Value) -> bool:
    """Whether a value, or what it names or holds, may be on an accelerator."""
    devices = [as_device(value) or value.device, machine.instance(value.ref).device]
    return any(device.may_accelerate for device in devices)


def is_for_others(
    machine: Run, function: Function, arguments: Arguments, receiver: Value | None
) -> bool:
    """Whether there is no need to follow a call from here: it is looked at elsewhere, or has
    nothing to do with devices."""
    if function.frame.top is machine.home.frame:
        return False
    given = [receiver or NOTHING, *(argument.value for argument in arguments)]
    is_left = is_far(machine, given) and not makes(machine, function)
    return is_left or is_plain(machine, function, given)


def is_far(machine: Run, given: Sequence[Value]) -> bool:
    """Whether another module calls something with what is where some argument is, and nothing on a
    known device: that is looked at there."""
    if machine.top is machine.home.frame:
        return False
    places = [p for v in given for p in (v.device, machine.instance(v.ref).device)]
    is_symbolic = any(place.is_like for place in places)
    return is_symbolic and not any(is_device_bound(machine, each) for each in given)


def makes(machine: Run, function: Function) -> bool:
    """Whether a function may give what it makes itself, wherever its arguments are."""
    seeds = machine.view_at(function.frame).seeds
    return isinstance(function.node, ir.Def) and not seeds.makers.isdisjoint(function.node.words)


def is_plain(machine: Run, function: Function, given: Sequence[Value]) -> bool:
    """Whether a function of a module which never comes to PyTorch names no device, and is given
    nothing that has to do with one."""
    node, view, asking = function.node, machine.view_at(function.frame), machine.home.place
    if isinstance(node, ir.Lambda) or asking is None or view.place is None:
        return False
    is_named = not view.seeds.handles.isdisjoint(node.words)
    if is_named or view.seeds.looks_up(node.words) or comes_to_torch(asking, view.place.module):
        return False
    return not any(is_of_tensors(machine, each) for each in given)


def is_of_tensors(machine: Run, value: Value, levels: int = 1) -> bool:
    """Whether it is a tensor or a module, or on some device, or holds such."""
    if value.kind in (Kind.TENSOR, Kind.MODULE) or value.device.is_partly_known:
        return True
    if is_device_bound(machine, value):
        return True
    held = machine.instance(value.ref).contents if levels and value.ref is not None else ()
    return any(is_of_tensors(machine, each, levels - 1) for _, each in held)


def is_traced(value: Value) -> bool:
    """Whether it matters to what it is given, wherever it is."""
    is_plain = isinstance(value.source, PlainAttribute)
    return is_plain or any(isinstance(tag, Traced) for tag in value.tags)


def is_seeded(machine: Run, each: Function | ClassInfo) -> bool:
    """Whether a function or class has to do with devices, by its words."""
    node = each.node
    return isinstance(node, ir.Lambda) or machine.view_at(each.frame).seeds.are_in(node.words)


def is_device_bound(machine: Run, value: Value) -> bool:
    if value.kind in (Kind.GENERATOR, Kind.FUNCTION, Kind.CLASS, Kind.METHOD):
        return True
    return tells_device(machine, value)


def tells_device(machine: Run, value: Value) -> bool:
    """Whether a value names a device, or is or holds something on a known one."""
    if as_device(value) is not None or is_definite(value.device):
        return True
    return machine.has_instance(value.ref) and holds_device(machine, value, levels=2)


def holds_device(machine: Run, value: Value, levels: int) -> bool:
    """Whether an object, or what it holds directly, is on a device or has been moved."""
    instance = machine.instance(value.ref)
    if instance.move is not None or is_definite(instance.device):
        return True
    return any(
        item.kind is Kind.GENERATOR
        or as_device(item) is not None
        or is_definite(item.device)
        or (levels > 0 and item.ref is not None and holds_device(machine, item, levels - 1))
        for _, item in instance.contents
    )


def is_definite(device: Device) -> bool:
    """Whether more is known than that it is where an argument is."""
    return any(
        not isinstance(atom, Like) or isinstance(atom.source, Loaded) for atom in device.possible()
    )


def note_inputs(
    machine: Run, function: Function, given: Sequence[Value], path: tuple[ir.Node, ...]
) -> None:
    """Know what a function has been called with; of one in another file, for that one. That a
    module of the file is tried on the CPU says nothing of who else calls it."""
    is_far = any(may_accelerate(machine, value) for value in given)
    if path[-1] is machine.call and all(map(is_made_up, given)):
        machine.notes.trials.add(path[-1])
    is_tried = not is_far and is_trial(machine, path[0])
    if not is_tried and any(is_placed(machine, value) for value in given):
        machine.placed.add(function.node)
    if is_far and function.frame.top is not machine.home.frame:
        machine.accelerated.add(function.node)


def is_made_up(value: Value) -> bool:
    """Whether it is no tensor but one that a factory has made of numbers."""
    return value.kind is not Kind.TENSOR or isinstance(value.source, Factory)


def is_trial(machine: Run, node: ir.Node) -> bool:
    """Whether a module is called by what only runs where the file is the program, or by the top of
    a file that neither trains nor loads anything, with what is made up."""
    module = machine.home.module
    if node is not machine.call or node in machine.once(guarded_calls, module):
        return node is machine.call
    is_program = not PROGRAMS.isdisjoint(machine.once(attributes, module))
    return node in machine.notes.trials and not is_program
