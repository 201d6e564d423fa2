"""The numbers of devices that tensors give."""

from __future__ import annotations

from devlint.facts import effect
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors.certain_tensors import is_certain_argument
from devlint.values.device import asked
from devlint.values.tags import DeviceIndex
from devlint.values.value import Kind, Value


def locates(machine: Run, fact: effect.Locates, call: Call) -> Value:
    tensor = call.arguments.positional[0]
    tags = (DeviceIndex(call.node),) if is_certain_argument(machine, tensor) else ()
    return Value(Kind.DEVICE, asked(tensor.value.device), tags=tags)
