"""Device expressions that a fix may repeat: what they name at another place of the program."""

from __future__ import annotations

from devlint.facts.effect import Moves
from devlint.interpret.core.arguments import evaluated
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import transfers
from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.origin import Origin


def is_repeatable(machine: Run, move: Origin, device: Device) -> bool:
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
    return transfers.destination(Moves("", call.func.name), evaluated(machine, call)) == device


def is_bound(machine: Run, node: ir.Expression, *, is_same_call: bool) -> bool:
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
