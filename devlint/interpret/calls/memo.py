"""Calls recalled: what a call gave and wrote when it was made with the same facts before; and what
makes two calls alike, apart from where they stand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from devlint.interpret.core import module_state
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.heap import DEFAULT, Lattice
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Frame, Function
from devlint.interpret.objects import optimizers
from devlint.interpret.objects.saved_files import PAST, Past
from devlint.lower import ir
from devlint.values.condition import Condition
from devlint.values.value import Value


@dataclass(slots=True)
class Recall:
    """`names` are the module's own names that the call read, `facts` what it was made with,
    `written` what it changed, `decided` how tests came out in it."""

    names: frozenset[tuple[Frame, str]]
    facts: list[object]
    written: dict[Hashable, Lattice]
    value: Value
    decided: Sequence[tuple[Condition, bool]]


def key(
    function: Function, path: tuple[ir.Node, ...], arguments: Arguments, given: list[Value]
) -> Hashable:
    """A call is recalled at the same place only: in the next round of a loop."""
    return (function.node, path, tuple(arguments.keywords), arguments.is_open, tuple(given))


def facts(machine: Run, given: list[Value], names: frozenset[tuple[Frame, str]]) -> list[object]:
    """What a call starts from: the objects that it can reach, and the default device."""
    state = machine.here()
    read = [state.get(key) for key in sorted(names, key=lambda each: each[1])]
    values = [*given, *(value for value in read if isinstance(value, Value))]
    objects = [
        machine.instance(part.ref)
        for value in values
        if machine.has_instance(value.ref)
        for part in module_state.parts(machine, value, set())
        if part.ref is not None
    ]
    return [state.get(DEFAULT), *read, *objects]


def repeat(machine: Run, recalled: Recall) -> Value:
    state = machine.here()
    before = state.get(PAST)
    state.cells.update(recalled.written)
    after = state.get(PAST)
    if isinstance(before, Past) and isinstance(after, Past):
        state.put(PAST, before.join(after))
    machine.read |= recalled.names
    decide(machine, recalled.decided)
    return recalled.value


def decide(machine: Run, decided: Sequence[tuple[Condition, bool]]) -> None:
    """Go on where tests came out in one way: with any other one the call had not come back."""
    for test, truth in reversed(decided):
        machine.state = machine.here().fork(test, truth)


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
