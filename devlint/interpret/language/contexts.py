"""Context managers: what `as` binds, the default device that they set, what they put back."""

from __future__ import annotations

from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import element
from devlint.interpret.core.heap import DEFAULT, Paused
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.values.value import NONE, NOTHING, Kind, Value


def entered(machine: Run, node: ir.Expression, manager: Value) -> Value:
    """What a context manager gives as it is entered."""
    if manager.kind is Kind.DEVICE:
        machine.here().put(DEFAULT, manager)
    elif manager.kind is Kind.CONTAINER:  # What its generator yields.
        paused = manager.tag(Paused)
        if paused is not None and isinstance(paused.default, Value):
            machine.here().put(DEFAULT, paused.default)
        return element(machine, manager, node)
    given = called(machine, manager, "__enter__", node, Arguments())
    return manager if given == NOTHING else given


def left(machine: Run, node: ir.Expression, manager: Value) -> None:
    """A block has been left at its end: its manager puts things back, say."""
    paused = manager.tag(Paused)
    for key, cell in paused.rest.items() if paused is not None else ():
        machine.here().put(key, cell)
    nothing = Arguments((Argument(node, NONE),) * 3)
    called(machine, manager, "__exit__", node, nothing)


def called(
    machine: Run, manager: Value, name: str, node: ir.Expression, arguments: Arguments
) -> Value:
    type_ = machine.instance(manager.ref).type
    method = type_.method(name) if isinstance(type_, ClassInfo) else None
    return NOTHING if method is None else invoke(machine, method, arguments, node, manager)
