"""Strings that name accelerators which only the configuration knows."""

from __future__ import annotations

from devlint.interpret.core.interpreter import Run
from devlint.interpret.language import expressions
from devlint.lower import ir
from devlint.values.value import Kind, Value


def constant(machine: Run, node: ir.Constant) -> Value:
    device = machine.configured.device(node.value) if isinstance(node.value, str) else None
    return expressions.constant(machine, node) if device is None else Value(Kind.DEVICE, device)


EVALUATORS = {**expressions.EVALUATORS, ir.Constant: constant}
