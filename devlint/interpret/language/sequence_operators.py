"""What `+`, `*`, `|` and `%` make of lists, tuples, dicts and texts."""

from __future__ import annotations

from devlint.interpret.calls.attributes import indexed_device, known
from devlint.interpret.core.containers import container, items_of, numbered, sequence
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values import texts
from devlint.values.value import Kind, Value


def concatenated(machine: Run, node: ir.Node, one: Value, other: Value) -> Value | None:
    """The list or tuple of the items of two, or the device that two texts name."""
    if one.kind is Kind.CONSTANT and isinstance(one.payload, str):
        if other.kind is Kind.CONSTANT:
            made = texts.added(one, other)
            return made and known(machine, made)
        return named_device(machine, one.payload)
    first, second = sequence(machine, one), sequence(machine, other)
    if first is not None and second is not None:
        return container(machine, node, numbered(first + second))
    if is_list(one) and is_list(other):
        return any_of(machine, node, one, other)
    is_sequence = is_display(one) or is_display(other)
    is_open = Kind.TENSOR not in (one.kind, other.kind)
    return Value(Kind.CONTAINER) if is_sequence and is_open else None


def formatted(machine: Run, node: ir.Node, one: Value, other: Value) -> Value | None:
    """`"cuda:%d" % index`"""
    if one.kind is not Kind.CONSTANT or not isinstance(one.payload, str):
        return None
    fields = (other,) if other.kind is Kind.CONSTANT else sequence(machine, other) or ()
    if (made := texts.interpolated(one.payload, fields)) is not None:
        return known(machine, made)
    return named_device(machine, one.payload.partition("%")[0])


def named_device(machine: Run, prefix: str) -> Value | None:
    made = indexed_device(machine, prefix)
    return made if made.kind is Kind.DEVICE else None


def united(machine: Run, node: ir.Node, one: Value, other: Value) -> Value | None:
    """`{..} | {..}`: a dict of the items of two."""
    if one.kind is not Kind.CONTAINER or other.kind is not Kind.CONTAINER:
        return None
    held = {**machine.instance(one.ref).items, **machine.instance(other.ref).items}
    return container(machine, node, held) if held else None


def repeated(machine: Run, node: ir.Node, one: Value, other: Value) -> Value | None:
    """`[x] * n` and `n * [x]`: a list of the same items over and over."""
    for each in (one, other):
        if is_list(each):
            return any_of(machine, node, each)
        if is_display(each):
            return Value(Kind.CONTAINER)
    return None


def any_of(machine: Run, node: ir.Node, *lists: Value) -> Value:
    """A list of the items of others, in an order that is not known."""
    items = [item for each in lists for item in items_of(machine, each)]
    return container(machine, node, numbered((), items))


def is_list(value: Value) -> bool:
    """Whether it is a list or tuple of which something is known."""
    return is_plain(value) and value.ref is not None


def is_display(value: Value) -> bool:
    """Whether it is a list or tuple of nothing of interest."""
    return is_plain(value) and value.ref is None


def is_plain(value: Value) -> bool:
    return value.kind is Kind.CONTAINER and not value.device.is_known


#: What lists, tuples, dicts and texts are combined with.
SEQUENCE_OPERATORS = {"+": concatenated, "*": repeated, "|": united, "%": formatted}
