"""Tensors handed to other processes."""

from __future__ import annotations

from devlint.event import Communicated
from devlint.facts import effect
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors.operands import operands
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.values.source import Factory
from devlint.values.value import NOTHING, Value

BACKENDS = frozenset({"nccl", "gloo", "mpi", "ucc"})


def communicates(
    machine: Run, fact: effect.Communicates, node: ir.Call, name: str, arguments: Arguments
) -> Value:
    for tensor in operands(machine, fact, arguments, is_pointwise=False):
        source = tensor.value.source
        if (
            tensor.value.device.is_cpu
            and isinstance(source, Factory)
            and machine.once(backends, machine.module) == {"nccl"}
        ):
            machine.emit(Communicated(node, name, source))
    return NOTHING


def backends(module: ir.Module) -> frozenset[object]:
    """The communication backends that a program names."""
    texts = (node.value for node in walk(module) if isinstance(node, ir.Constant))
    return frozenset(text for text in texts if isinstance(text, str) and text in BACKENDS)
