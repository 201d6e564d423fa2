"""What calls start from, apart from where they stand."""

from __future__ import annotations

from collections.abc import Hashable

from devlint.interpret.core.call import Arguments
from devlint.interpret.core.heap import DEFAULT
from devlint.interpret.core.interpreter import Run
from devlint.interpret.objects import optimizers
from devlint.values.value import Value


def abstract_inputs(machine: Run, arguments: Arguments, given: list[Value]) -> Hashable:
    """What a call starts from, whoever makes it: two calls with the same differ in places only."""
    return (
        tuple(arguments.keywords),
        arguments.is_open,
        machine.here().get(DEFAULT),
        *(abstract(machine, value) for value in given),
    )


def abstract(machine: Run, value: Value, levels: int = 1) -> Hashable:
    """A value without its identity: what is known of it and of what it holds directly."""
    own = (value.kind, value.device, value.dimensions, value.payload, value.tags)
    if value.ref is None or not machine.has_instance(value.ref):
        return own
    instance = machine.instance(value.ref)
    where = optimizers.standing(machine, value) if optimizers.is_optimizer(value) else ()
    state = (instance.type, instance.device, instance.move is None, len(instance.attaches), where)
    if not levels:
        return own, state
    held = [(key, abstract(machine, item, levels - 1)) for key, item in instance.contents]
    return own, state, tuple(held)
