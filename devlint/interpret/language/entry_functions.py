"""Functions that no code in view calls, interpreted by themselves."""

from __future__ import annotations

from collections.abc import Set

from devlint.interpret.calls.activation import is_static, run
from devlint.interpret.calls.given_devices import is_seeded
from devlint.interpret.calls.symbolic_arguments import symbols
from devlint.interpret.core.definitions import is_decorated
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.relevance import builds_layer
from devlint.interpret.core.scopes import Function
from devlint.interpret.core.signals import (
    FunctionExamined,
)
from devlint.lower import ir
from devlint.queries.module_functions import only_hands_on
from devlint.values.value import NOTHING, Kind, Value


def examine(
    machine: Run,
    function: Function,
    receiver: Value | None,
    moved: Set[str] = frozenset(),
    names: Set[str] = frozenset(),
) -> Value:
    """Interpret a function for itself: nothing is known of its arguments but their names. What it
    gives, if it is worth that.

    A method of a module has to have something to do with devices, or with attributes that were
    `moved`, or to be called by one of `names`.
    """
    node = function.node
    if receiver is None and is_without_effect(machine, function):
        return NOTHING
    if isinstance(node, ir.Def) and is_of_module(function):
        is_named = function.name in names or not moved.isdisjoint(node.words)
        is_needed = is_named or builds_layer(node)
        if not is_needed and not is_seeded(machine, function):
            return NOTHING
    way = (*machine.frame.path, node)
    machine.contexts.setdefault(node, {}).setdefault((None, None), set()).add(way)
    if receiver is not None and is_decorated(function, {"classmethod"}):
        receiver = Value(Kind.CLASS, payload=function.owner)
    has_receiver = receiver is not None and not is_static(function)
    given = symbols(machine, node, has_receiver=has_receiver)
    value = run(machine, function, given, receiver, way).value
    machine.publish(FunctionExamined(function, value))
    return value


def is_without_effect(machine: Run, function: Function) -> bool:
    """Whether a function by itself can do nothing with devices: such as choose what another one is
    called with that has nothing to do with them, either."""
    node, seeds = function.node, machine.seeds
    if not isinstance(node, ir.Def) or is_seeded(machine, function):
        return False
    is_plain = seeds.handles.isdisjoint(node.words) and seeds.variables.isdisjoint(node.words)
    return is_plain and only_hands_on(node)


def is_of_module(function: Function) -> bool:
    return function.owner is not None and function.owner.is_module
