"""Slices and single items of lists and tuples."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret.core.containers import container, numbered, sequence
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.value import Kind, Value


def bounds(machine: Run, node: ir.Slice) -> list[Value | None]:
    """The lower one, the upper one and the step, as far as they are written."""
    written = (node.lower, node.upper, node.step)
    return [None if each is None else machine.evaluate(each) for each in written]


def slices(machine: Run, node: ir.Slice) -> Value:
    """The bounds by themselves, as an index."""
    bounds(machine, node)
    return Value(Kind.CONTAINER)


def cut(machine: Run, whole: Value, index: ir.Slice, node: ir.Node) -> Value:
    """The items of a list or tuple between bounds, in their order; where those are not known, any
    of all."""
    numbers = [None if each is None else each.payload for each in bounds(machine, index)]
    items = machine.instance(whole.ref).items
    if not items:
        return whole
    known = sequence(machine, whole)
    if known is None:
        return container(machine, node, items)
    start, stop, step = (each if isinstance(each, int) else None for each in numbers)
    if [start, stop, step] != numbers:
        return container(machine, node, numbered((), known))
    return container(machine, node, numbered(known[start:stop:step]))


def of_some_round(machine: Run, value: Value) -> Value:
    """What one round of a loop has put somewhere, outside of that: nobody knows which round."""
    test = value.device.test
    if test is None or test.loop is None or any(e.node is test.loop for e in machine.loops):
        return value
    return replace(value, device=Device(value.device.atoms))
