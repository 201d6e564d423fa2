"""Context managers: what `as` binds, the default device that they set, what they put back."""

from __future__ import annotations

from devlint.interpret.calls import special_methods
from devlint.interpret.core.containers import element
from devlint.interpret.core.heap import DEFAULT, Paused
from devlint.interpret.core.interpreter import Run
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
    given = special_methods.called(machine, node, manager, "enter")
    return manager if given in (None, NOTHING) else given


def left(machine: Run, node: ir.Expression, manager: Value) -> None:
    """A block has been left at its end: its manager puts things back, say."""
    paused = manager.tag(Paused)
    for key, cell in paused.rest.items() if paused is not None else ():
        machine.here().put(key, cell)
    special_methods.called(machine, node, manager, "exit", *[(node, NONE)] * 3)
