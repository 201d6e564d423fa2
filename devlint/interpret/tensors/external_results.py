"""What functions out of view give that are handed tensors of a caller."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from devlint.interpret.core import module_state
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import items_of, never_comes
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import operations
from devlint.interpret.tensors.certain_tensors import is_certain_argument, is_input
from devlint.lower import ir
from devlint.queries.dotted_names import (
    last_word,
)
from devlint.queries.name_conventions import names_device, written
from devlint.values.device import UNKNOWN, Device, Like
from devlint.values.value import NEVER, NOTHING, Kind, Value, as_device


def result(machine: Run, node: ir.Call, value: Value, arguments: Arguments) -> Value:
    """What a function of which nothing is known gives."""
    if len(arguments.positional) == 1 and never_comes(machine, arguments.positional[0].value):
        return NEVER
    if names_device(last_word(node.func)):
        given = [a.value for a in arguments if operations.is_tensor(a.value)]
        if len(given) == 1 and given[0].device.is_cpu:
            return Value(Kind.DEVICE, given[0].device, origin=given[0].origin)
    return replace(value, device=place(machine, node, arguments))


def own_place(machine: Run, callee: Value, arguments: Arguments) -> Device | None:
    """Where a model of which nothing is known gives its outputs, where it is called with values
    that were moved to its own device, or what holds such values."""
    values = [each.value for each in (*arguments, *arguments.mapped)]
    held = (item for each in values if each.ref is not None for item in items_of(machine, each))
    given = [each.device for each in (*values, *held)]
    moved: list[Device] = [
        each for each in given if callee.ref in {like.source for like in each.likes}
    ]
    if not moved or any(each != moved[0] for each in given if each.is_known):
        return None
    machine.notes.fed.add(callee.ref)
    return moved[0]


def output(machine: Run, node: ir.Call, value: Value, arguments: Arguments) -> Value:
    """What an object gives of which nothing is known: where it is handed what was put on a device,
    and nothing that is on the CPU or says where to put it, that is taken for where it computes."""
    found = result(machine, node, value, arguments)
    given = [
        a.value for a in arguments if operations.is_tensor(a.value) and a.value.device.is_known
    ]
    is_told = arguments.is_open or any(as_device(a.value) is not None for a in arguments)
    is_placed = any(each.device.may_accelerate for each in given)
    if found.device.is_known or is_told or not is_placed or any(v.device.is_cpu for v in given):
        return found
    machine.notes.fed.add(node)
    return replace(found, device=Device(frozenset({Like(node, written(node))})))


def made_of(arguments: Arguments, *, is_certain: bool = False) -> Value:
    """What a function in view gives that neither makes nor moves anything: something that is where
    one of its arguments is, those that are tensors before those that may be, and a tensor if that
    is one; where it `is_certain`, or it is handed a list that may hold them, only of tensors."""
    given = [each.value for each in arguments if each.value.kind in (Kind.TENSOR, Kind.UNKNOWN)]
    tensors = [value for value in given if value.kind is Kind.TENSOR]
    is_certain = is_certain or any(each.value.kind is Kind.CONTAINER for each in arguments)
    devices = [value.device for value in tensors or ([] if is_certain else given)]
    if not devices or not all(device.is_like for device in devices):
        return NOTHING
    return Value(device=Device(frozenset(atom for each in devices for atom in each.atoms)))


def place(machine: Run, node: ir.Call, arguments: Arguments) -> Device:
    """What is made of tensors of the caller is where they are, if it is a tensor at all: what is
    done with it has to show that. A device among the arguments may be where it is put instead.
    (What a caller hands on by `**kwargs` is none, as a rule.)"""
    if not all(is_handed_on(each.value) for each in arguments.mapped):
        return UNKNOWN
    if any(as_device(each.value) is not None for each in arguments):
        return UNKNOWN
    given = [each for each in arguments if operations.is_tensor(each.value)]
    if not all(each.value.device.is_like for each in given):
        return UNKNOWN
    tensor = next((each for each in given if holds_tensors(machine, each)), None)
    if tensor is None:
        return UNKNOWN
    like = tensor.value.device.likes[0]
    if like.source in machine.notes.fed:
        machine.notes.fed.add(node)
    return Device(frozenset({Like(node, like.text)}))


def is_on_cpu(arguments: Arguments) -> bool:
    """Whether the tensors among the arguments, if there are any, are all on the CPU."""
    given = [each.value.device for each in arguments if each.value.kind is Kind.TENSOR]
    return bool(given) and all(device.is_cpu for device in given)


def is_handed_on(value: Value) -> bool:
    """Whether it is `**kwargs` of the function that runs, as it came."""
    return isinstance(value.ref, ir.Parameter) and value.ref.kind == "**"


def holds_tensors(machine: Run, given: Argument) -> bool:
    """Whether an argument is certainly a tensor, what a module is called with, or made of one by
    such a function."""
    if is_certain_argument(machine, given):
        return True
    sources = [atom.source for atom in given.value.device.likes]
    return any(isinstance(source, ir.Call) or is_input(machine, source) for source in sources)


def outer(machine: Run, call: Call) -> module_state.Outer:
    """The type of what a class makes that may be given modules, tensors or lists of them."""
    given = [argument.value for argument in call.arguments]
    lists = [machine.instance(each.ref).items for each in given if each.kind is Kind.CONTAINER]
    kinds = {each.kind for each in chain(given, *(items.values() for items in lists))}
    return module_state.Outer(call.name, not kinds.isdisjoint({Kind.MODULE, Kind.TENSOR}))
