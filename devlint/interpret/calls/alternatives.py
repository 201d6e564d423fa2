"""What may be one of several objects, classes or functions: each is used; their ends meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.values.value import NOTHING, Either, OneOf, Value, either, possible_objects

#: What has more sides is taken for unknown once so many have been looked at.
SIDES = 4


def ways(callee: Value) -> Sequence[Value]:
    """The classes and functions that what is called may be."""
    return callee.payload.values if isinstance(callee.payload, OneOf) else (callee,)


def sides(machine: Run, value: Value) -> list[Value]:
    """The value, by the classes that what it stands for may be of; one, if none of those is in view
    or all are the same."""
    if not isinstance(value.ref, Either):
        return [value]
    of_types: dict[object, Value] = {}
    for ref in possible_objects(value.ref):
        type_ = machine.instance(ref).type
        one = of_types.get(type_)
        of_types[type_] = replace(value, ref=ref if one is None else either(one.ref, ref))
    is_split = len(of_types) > 1 and any(isinstance(type_, ClassInfo) for type_ in of_types)
    return [*of_types.values()] if is_split else [value]


def each(machine: Run, values: Sequence[Value], use: Callable[[Value], Value]) -> Value:
    """What a use gives of a value that may be any of these."""
    if len(values) == 1:
        return use(values[0])
    before, departures = machine.here(), machine.departures
    given, ends = [], []
    for value in values[:SIDES]:
        machine.state = before.fork()
        given.append(use(value))
        ends.append(machine.state)
    machine.meet(before, ends, departures)
    alive = [value for value, end in zip(given, ends, strict=True) if end is not None]
    return reduce(Value.join, alive + [NOTHING] * (len(values) > SIDES)) if alive else NOTHING
