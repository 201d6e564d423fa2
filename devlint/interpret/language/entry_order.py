"""In which order, and from which state, what nobody has called is looked at."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, TypeVar

from devlint.flow.state import State
from devlint.interpret.core import class_summary
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.relevance import IMPLICIT, MAKERS
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.kept_values import called_on_self
from devlint.queries.loop_moves import MOVES
from devlint.queries.name_conventions import words_of


def between(since: State[Any], end: State[Any]) -> State[Any]:
    """What holds at any time from the definition of a function to the end of the one around it."""
    if not end.descends_from(since):
        return end.fork()
    state = since.fork()
    state.absorb([since.fork(), end], since=since)
    return state


Defined = TypeVar("Defined", bound=Function | ClassInfo)


def in_order(
    machine: Run, defined: Iterable[Defined], among: Container[ir.Node] | None = None
) -> list[Defined]:
    """Functions first: what they make of a class decides about it. Those that others call, or those
    `among` others, come last: what they are called with decides."""
    known = list(defined)
    called_by = {
        each.node: [c for c in callers(machine, each) if among is None or c in among]
        for each in known
    }
    waiting = {node for node, others in called_by.items() if others}
    return sorted(
        known,
        key=lambda each: (
            each.node in waiting,
            isinstance(each, ClassInfo),
            not waiting.isdisjoint(called_by[each.node]),
        ),
    )


def callers(machine: Run, each: Function | ClassInfo) -> list[ir.Def]:
    """The other functions that call one, by their words."""
    if isinstance(each, ClassInfo) or not isinstance(each.node, ir.Def) or each.name in IMPLICIT:
        return []
    return machine.seeds.callers(each.node)


def is_open(machine: Run, function: Function) -> bool:
    """Whether nobody in view has called a function, or only with what is of no known device: what
    it makes may then meet what callers out of view have placed."""
    if function.node not in machine.contexts:
        return True
    if function.node in machine.placed or not isinstance(function.node, ir.Def):
        return False
    if is_maker(function.node):
        return not is_of_init(machine, function.node) and not is_of_making(machine, function)
    return machine.once(is_taker, function.node)


def is_of_init(machine: Run, method: ir.Def | ir.Lambda, depth: int = 3) -> bool:
    """Whether only `__init__` comes to a private method, before its object can have been moved."""
    if isinstance(method, ir.Lambda):
        return False
    if method.name == "__init__":
        return True
    if not method.name.startswith("_") or method.name.startswith("__") or depth == 0:
        return False
    others = machine.seeds.callers(method)
    return bool(others) and all(is_of_init(machine, each, depth - 1) for each in others)


def is_of_making(machine: Run, method: Function) -> bool:
    """Whether of a plain object nothing in view calls a method but `__init__`, perhaps that of a
    base: it makes what the object begins with."""
    owner = method.owner
    if owner is None or owner.is_module:
        return False
    makers = [each for each in owner.definitions if each.name == "__init__"]
    own = class_summary.methods(owner).values()
    callers = [each for each in own if each.name not in ("__init__", method.name)]
    is_called = any(method.name in machine.once(called_on_self, each) for each in makers)
    return is_called and not any(method.name in each.words for each in callers)


def is_maker(function: ir.Def) -> bool:
    """Whether a function makes tensors, by its words."""
    return not MAKERS.isdisjoint(function.words)


def is_taker(function: ir.Def) -> bool:
    """Whether a function loops over an argument and moves something, which tells where what it
    takes from a loader out of view is: of one in view its caller tells."""
    if MOVES.isdisjoint(function.words):
        return False
    given = {parameter.name for parameter in function.params}
    loops = (node for node in walk(function) if isinstance(node, ir.For))
    return any(not given.isdisjoint(words_of(loop.iter)) for loop in loops)
