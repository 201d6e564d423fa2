"""In which order, and from which state, what nobody has called is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from devlint.flow.state import State
from devlint.interpret.machine import ClassInfo, Function, Machine
from devlint.interpret.seeds import IMPLICIT, MAKERS
from devlint.lower import ir


def between(since: State[Any], end: State[Any]) -> State[Any]:
    """What holds at any time from the definition of a function to the end of the one around it."""
    if not end.descends_from(since):
        return end.fork()
    state = since.fork()
    state.absorb([since.fork(), end], since=since)
    return state


Defined = TypeVar("Defined", bound=Function | ClassInfo)


def in_order(machine: Machine, defined: Iterable[Defined]) -> list[Defined]:
    """Functions first: what they make of a class decides about it. Those that others call come
    last, if they make tensors: what they are called with decides about those."""
    return sorted(
        defined,
        key=lambda each: (
            is_called_maker(machine, each),
            isinstance(each, ClassInfo),
        ),
    )


def is_called_maker(machine: Machine, each: Function | ClassInfo) -> bool:
    if not isinstance(each.node, ir.Def) or each.node.name in IMPLICIT:
        return False
    name, makes = each.node.name, not MAKERS.isdisjoint(each.node.words)
    return makes and any(name in d.words for d in machine.seeds.definitions if d is not each.node)


def is_open(machine: Machine, function: Function) -> bool:
    """Whether nobody in view has called a function, or only with what is of no known device: what
    it makes may then meet what callers out of view have placed."""
    if function.node not in machine.contexts:
        return True
    is_maker = isinstance(function.node, ir.Def) and not MAKERS.isdisjoint(function.node.words)
    return is_maker and function.node not in machine.placed
