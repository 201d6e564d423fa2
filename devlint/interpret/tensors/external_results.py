"""What functions out of view give that are handed tensors of a caller."""

from __future__ import annotations

from dataclasses import replace

from devlint.event import Operand
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import operations
from devlint.interpret.tensors.certain_tensors import (
    is_certain_tensor,
)
from devlint.lower import ir
from devlint.queries.dotted_names import (
    last_word,
)
from devlint.queries.name_conventions import names_device
from devlint.values.device import UNKNOWN, Device, Like
from devlint.values.value import Kind, Value


def result(machine: Run, node: ir.Call, value: Value, arguments: Arguments) -> Value:
    """What a function of which nothing is known gives."""
    if names_device(last_word(node.func)):
        given = [a.value for a in arguments if operations.is_tensor(a.value)]
        if len(given) == 1 and given[0].device.is_cpu:
            return Value(Kind.DEVICE, given[0].device, origin=given[0].origin)
    return replace(value, device=place(machine, node, arguments))


def place(machine: Run, node: ir.Call, arguments: Arguments) -> Device:
    """What is made of tensors of the caller is where they are, if it is a tensor at all: what is
    done with it has to show that."""
    given = [a for a in arguments if operations.is_tensor(a.value)]
    likes = {atom for a in given for atom in a.value.device.atoms}
    if len(likes) != 1:
        return UNKNOWN
    (like,) = likes
    operands = [Operand(a.node, "", a.value, is_exempt=True) for a in given]
    if not isinstance(like, Like) or not any(is_certain_tensor(machine, each) for each in operands):
        return UNKNOWN
    return Device(frozenset({Like(node, like.text)}))
