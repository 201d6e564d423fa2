"""What may be one of several objects, classes or functions: each is used; their ends meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import cycle

from devlint.facts.effect import Container, Layer
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.values.alternatives import Either, either, possible_objects
from devlint.values.condition import SILENT, Condition, upright
from devlint.values.value import NOTHING, Kind, OneOf, Value

#: What has more sides is taken for unknown once so many have been looked at, but for what is out of
#: view, of which there is little to look at.
SIDES = 8
#: The types of objects that it matters to tell apart.
KNOWN = (ClassInfo, Layer, Container)


def ways(callee: Value) -> Sequence[Value]:
    """The classes and functions that what is called may be."""
    return callee.payload.values if isinstance(callee.payload, OneOf) else (callee,)


def sides(machine: Run, value: Value) -> list[Value]:
    """The value, by the classes that what it stands for may be of; one, if nothing is known of any
    of those or all are the same, or if a test on the way here has told."""
    ref = value.ref
    if not isinstance(ref, Either):
        return [value]
    told = None if machine.has_instance(ref) else machine.here().decision(ref.test)
    if told is not None:
        return [replace(value, ref=ref.one if upright(told)[1] else ref.other)]
    of_types: dict[object, Value] = {}
    for each in possible_objects(ref):
        type_ = machine.instance(each).type
        one = of_types.get(type_)
        of_types[type_] = replace(value, ref=each if one is None else either(one.ref, each))
    is_split = len(of_types) > 1 and any(isinstance(type_, KNOWN) for type_ in of_types)
    return [*of_types.values()] if is_split else [value]


def each(
    machine: Run,
    values: Sequence[Value],
    use: Callable[[Value], Value],
    test: Condition | None = None,
) -> Value:
    """What a use gives of a value that may be any of these: of two, the first where the test holds,
    if one tells them apart. (One that chooses a device narrows nothing: where it chose the CPU, no
    accelerator is named.)"""
    if len(values) == 1:
        return use(values[0])
    told_by = test if len(values) == 2 else None
    limit = len(values) if all(each.kind is Kind.IMPORTED for each in values) else SIDES
    narrows = test is None or test.senses == SILENT
    before, departures = machine.here(), machine.departures
    given, ends = [], []
    for value, truth in zip(values[:limit], cycle((True, False)), strict=False):
        machine.state = before.fork(told_by, truth, narrows=narrows)
        given.append(use(value))
        ends.append(machine.state)
    machine.meet(before, ends, departures, told_by)
    if None not in ends and told_by is not None:
        return given[0].join(given[1], told_by)
    alive = [value for value, end in zip(given, ends, strict=True) if end is not None]
    return reduce(Value.join, alive + [NOTHING] * (len(values) > limit)) if alive else NOTHING


def test_of(value: Value) -> Condition | None:
    """The test that tells which of two objects a value stands for."""
    return value.ref.test if isinstance(value.ref, Either) else None
