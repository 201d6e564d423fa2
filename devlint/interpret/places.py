"""How the program writes its device at a place, for fixes that name it there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlint.interpret.machine import Machine
from devlint.lower import ir
from devlint.values.value import Kind, Value

#: The names of devices, not of their numbers: `map_location` takes no `rank`.
PLAIN = re.compile(r"(^|_)(device|dev)(_?[0-9])?$", re.I)


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
