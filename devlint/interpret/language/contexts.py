"""Context managers: what `as` binds, and the default device that they set."""

from __future__ import annotations

from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.containers import element
from devlint.interpret.core.heap import DEFAULT
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.values.tags import Paused
from devlint.values.value import NOTHING, Kind, Value


def entered(machine: Run, node: ir.Expression, manager: Value) -> Value:
    """What a context manager gives as it is entered."""
    if manager.kind is Kind.DEVICE:
        machine.here().put(DEFAULT, manager)
    elif manager.kind is Kind.CONTAINER:  # What its generator yields.
        paused = manager.tag(Paused)
        if paused is not None and isinstance(paused.default, Value):
            machine.here().put(DEFAULT, paused.default)
        return element(machine, manager, node)
    type_ = machine.instance(manager.ref).type
    method = type_.method("__enter__") if isinstance(type_, ClassInfo) else None
    given = NOTHING if method is None else invoke(machine, method, Arguments(), node, manager)
    return manager if given == NOTHING else given
