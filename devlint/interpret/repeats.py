"""Device expressions that a fix may repeat: what they name at another place of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlint.interpret import moves
from devlint.interpret.arguments import evaluated
from devlint.interpret.machine import Machine
from devlint.lower import ir
from devlint.torch_facts.effect import Moves
from devlint.values.device import Device
from devlint.values.value import Kind, Origin, Value

#: The names of devices, not of their numbers: `map_location` takes no `rank`.
PLAIN = re.compile(r"(^|_)(device|dev)(_?[0-9])?$", re.I)


def is_repeatable(machine: Machine, move: Origin, device: Device) -> bool:
    """Whether `.to(..)` or `.cuda(..)`, written here once more, would lead to a device."""
    call = move.node
    if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Attribute):
        return False
    if call.func.name not in ("to", "cuda") or not device.is_accelerator:
        return False
    is_same_call = move.path == machine.frame.path
    given = (*call.args, *(value for _, value in call.keywords))
    if not all(is_bound(machine, each, is_same_call=is_same_call) for each in given):
        return False
    return moves.destination(Moves("", call.func.name), evaluated(machine, call)) == device


def is_bound(machine: Machine, node: ir.Expression, *, is_same_call: bool) -> bool:
    """Whether an expression only reads, and reads here what it did there.

    The names of another function are others, but for those of the module and the receiver.
    """
    match node:
        case ir.Constant():
            return True
        case ir.Name():
            value = machine.lookup(node.id)
            is_shared = node.id == "self" or machine.here().get((machine.top, node.id)) is value
            return value is not None and (is_same_call or is_shared)
        case ir.Attribute():
            return is_bound(machine, node.value, is_same_call=is_same_call)
        case ir.Call(func=ir.Attribute(value=ir.Name(id="torch"), name="device"), keywords=()):
            return all(is_bound(machine, each, is_same_call=is_same_call) for each in node.args)
    return False


def is_path(node: ir.Expression) -> bool:
    """Whether an expression is a name, or attributes of one."""
    while isinstance(node, ir.Attribute):
        node = node.value
    return isinstance(node, ir.Name)


def device_name(machine: Machine) -> str | None:
    """How the program writes the device that it chooses, where it can be written here.

    A function that is given a `map_location` is told by its caller. A name of the module is not
    sure to be bound when a function runs, unless its body binds it under no condition.
    """
    names = {*machine.frame.names}
    if "map_location" in names:
        return "map_location"
    if machine.frame is not machine.top:
        names |= {*bound_by(machine.module.body)}
    named = filter(PLAIN.search, sorted(names))
    chosen = [name for name in named if is_chosen(machine.lookup(name))]
    if chosen:
        return "device" if "device" in chosen else chosen[0]
    receiver = machine.frame.receiver
    if receiver is None or machine.lookup("self") is None:
        return None
    held = machine.instance(receiver.ref).items.get("device")
    return "self.device" if is_chosen(held) else None


def bound_by(body: ir.Block) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ir.Assign):
            yield from (each.id for each in statement.targets if isinstance(each, ir.Name))


def is_chosen(value: Value | None) -> bool:
    return value is not None and value.kind is Kind.DEVICE and value.device.is_accelerator
