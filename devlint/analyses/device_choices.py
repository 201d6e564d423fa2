"""Choices of a device, by the program or by its callers, and what is put elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from devlint.event import IgnoredChoice, Neglect
from devlint.interpret.core.branch_conditions import key_of, path
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.name_conventions import is_name, is_self, names_device, written
from devlint.values.condition import Condition, Sense
from devlint.values.device import Like, On
from devlint.values.value import Kind, Value, as_device

#: What asks whether there is an accelerator at all.
AVAILABLE = frozenset({"is_available", "device_count"})
#: Methods that are there to put an object on a device.
PLACERS = frozenset({"__init__", "to", "cuda", "cpu", "_apply"})


class Fallback(NamedTuple):
    """`device if torch.cuda.is_available() else "cpu"`"""

    node: ir.Conditional
    test: Condition
    holds: tuple[object, ...]


def fell_back(
    machine: Run, node: ir.Conditional, test: object, values: tuple[Value, Value]
) -> None:
    """A conditional takes the CPU for a device that is not available."""
    words = {each.name for each in walk(node.test) if isinstance(each, ir.Attribute)}
    if not isinstance(test, Condition) or AVAILABLE.isdisjoint(words):
        return
    for arm, value, other, truth in (
        (node.then, values[0], values[1], False),
        (node.orelse, values[1], values[0], True),
    ):
        is_setting = isinstance(arm, (ir.Name, ir.Attribute)) and value.kind is not Kind.CONSTANT
        named = as_device(other)
        if is_setting and named is not None and named.is_cpu and test.sense(truth) is Sense.CPU:
            holds: list[object] = []
            key = key_of(machine, arm)
            machine.notes.fallbacks[key] = Fallback(node, test, tuple(holds))


def requested(machine: Run, node: ir.Call, argument: Argument | None) -> None:
    """Something is put on the device that an argument names."""
    if argument is None or argument.node.__class__ not in (ir.Attribute, ir.Name):
        return
    if machine.notes.fallbacks:
        bypassed(machine, node, argument)
    if isinstance(argument.node, ir.Attribute) and is_self(argument.node.value):
        if isinstance(node.func, ir.Attribute) and is_self(node.func.value):
            undone(machine, node, argument.node, argument.value)
        elif path(node.func)[:1] != ["self"]:
            disregarded(machine, node, argument.node)


def bypassed(machine: Run, node: ir.Call, argument: Argument) -> None:
    """The device of which the program has made sure is not the one that is used."""
    fallback = machine.notes.fallbacks.get(key_of(machine, argument.node))
    if fallback is None or is_assumed(machine, fallback.test):
        return
    used = written(argument.node)
    target = next((t for t in targets(machine.module, fallback.node) if t != used), None)
    if target is not None:
        emit(machine, node, Neglect.FALLBACK, used, target, fallback.node)


def is_assumed(machine: Run, test: Hashable) -> bool:
    """Whether the way here leads through a branch of the test."""
    state = machine.state
    while state is not None:
        if state.assumed is not None and state.assumed[0] == test:
            return True
        state = state.parent
    return False


def targets(module: ir.Module, value: ir.Expression) -> Iterator[str]:
    """The names that an expression, or what is made of it, is assigned to."""
    for each in walk(module):
        if isinstance(each, ir.Assign) and value in walk(each.value):
            yield from (written(target) for target in each.targets)


def disregarded(machine: Run, node: ir.Call, used: ir.Attribute) -> None:
    """A method takes a device, puts some of its tensors there and others on its object's."""
    method = machine.running[-1] if machine.running else None
    if not isinstance(method, ir.Def) or method.name in PLACERS or not names_device(used.name):
        return
    parameter = next((p for p in method.params if p.name == used.name), None)
    if parameter is None or used.name in method.stores or not is_followed(method, parameter.name):
        return
    emit(machine, node, Neglect.ARGUMENT, written(used), parameter.name, parameter)


def is_followed(method: ir.Def, name: str) -> bool:
    """Whether a parameter is handed on as it came, and never doubted."""
    is_handed_on = False
    for each in walk(method):
        if isinstance(each, ir.Call):
            handed = [*each.args, *(value for _, value in each.keywords)]
            is_handed_on |= any(is_name(value, name) for value in handed)
        elif isinstance(each, (ir.Compare, ir.Logic, ir.If, ir.Conditional)):
            if any(is_name(part, name) for part in tested(each)):
                return False
        elif isinstance(each, ir.Assign) and any(is_name(t, name) for t in each.targets):
            return False
    return is_handed_on


def tested(node: ir.Compare | ir.Logic | ir.If | ir.Conditional) -> tuple[ir.Expression, ...]:
    if isinstance(node, ir.Compare):
        return (node.left, *node.comparators)
    return node.values if isinstance(node, ir.Logic) else (node.test,)


def undone(machine: Run, node: ir.Call, used: ir.Attribute, value: Value) -> None:
    """A module moves itself to the device that it has kept since it was made."""
    method, owner = machine.running[-1] if machine.running else None, machine.frame.owner
    if owner is None or not owner.is_module or not isinstance(method, ir.Def):
        return
    if method.name in PLACERS or value.kind is not Kind.DEVICE:
        return
    moves_itself = any(owner.method(name) for name in ("to", "_apply", used.name))
    kept = None if moves_itself else assignment(owner, used.name)
    if kept is not None:
        emit(machine, node, Neglect.CACHED, written(used), "the module", kept)


def assignment(owner: ClassInfo, name: str) -> ir.Assign | None:
    """The only assignment of an attribute, in `__init__`."""
    init = owner.method("__init__")
    if init is None or any(name in m.stores for m in owner.definitions if m is not init.node):
        return None
    for node in walk(init.node):
        if isinstance(node, ir.Assign):
            for target in node.targets:
                if isinstance(target, ir.Attribute) and target.name == name:
                    return node
    return None


def put_back(machine: Run, node: ir.Call, value: Value) -> None:
    """What comes from an argument by way of the CPU goes to the current accelerator."""
    method = machine.running[-1] if machine.running else None
    if not isinstance(method, ir.Def) or not isinstance(node.func, ir.Attribute):
        return
    for call in fetches(node.func.value, value):
        root = path(call.func)[0]
        found = machine.lookup(root) if root in {p.name for p in method.params} else None
        if root != "self" and found is not None and is_foreign(found):
            emit(machine, node, Neglect.ROUND_TRIP, written(node), root, call)
            return


def fetches(receiver: ir.Expression, value: Value) -> Iterator[ir.Call]:
    """The calls of `cpu` that a value comes from."""
    came = value.origin.node if value.origin is not None and value.device.is_cpu else None
    calls = (each for each in (*walk(receiver), came) if isinstance(each, ir.Call))
    for call in calls:
        if isinstance(call.func, ir.Attribute) and call.func.name == "cpu" and path(call.func):
            yield call


def is_foreign(value: Value) -> bool:
    """Whether only callers out of view know where a value is."""
    return any(isinstance(atom, Like) for atom in value.device.atoms)


def defaulted(
    machine: Run, node: ir.Node, parameter: ir.Parameter, value: Value, given: Arguments
) -> None:
    """A call in view leaves it to a default which accelerator to use."""
    device = as_device(value) if names_device(parameter.name) else None
    if device is None or not device.is_accelerator or machine.notes.names_accelerator:
        return
    foreign = next((a for a in given if is_foreign(a.value)), None)
    if foreign is not None and isinstance(node, ir.Call):
        used = next(str(atom) for atom in device.atoms if isinstance(atom, On))
        chosen = written(foreign.node)
        machine.notes.defaulted.append(
            IgnoredChoice(node, Neglect.DEFAULT, written(node.func), used, chosen, parameter)
        )


def emit(
    machine: Run, node: ir.Call, how: Neglect, used: str, chosen: str, because: ir.Node
) -> None:
    machine.emit(IgnoredChoice(node, how, written(node.func), used, chosen, because))


def report(machine: Run) -> None:
    """Let defaults be known of a program that names an accelerator nowhere else."""
    if not machine.notes.names_accelerator:
        for each in machine.notes.defaulted:
            machine.emit(each)
