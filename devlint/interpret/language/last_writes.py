"""Attributes that some methods leave on the CPU, and others where an argument is, or on a device
that was chosen: where they are depends on which of them has run last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from devlint.interpret.core.containers import joined
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.tensors import transfers
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import path
from devlint.values.condition import WRITER, Condition
from devlint.values.device import ON_CPU
from devlint.values.instance import ANY, Instance
from devlint.values.origin import Origin
from devlint.values.source import RestoredState
from devlint.values.tags import Unset
from devlint.values.value import NOTHING, Kind, Value

#: The method that puts back a state which was saved.
RESTORES = "load_state_dict"
#: What began as None, and anybody may have set since.
UNSET = NOTHING.tagged(Unset())


def last_write(owner: ClassInfo, name: str) -> Condition:
    """The test of which method has written an attribute last."""
    return Condition((WRITER, owner.node, name))


def either(values: Sequence[Value], test: Condition | None) -> Value:
    """Any of the values that an attribute has had, from the first one on: what begins on the CPU
    need not be used before it is moved."""
    rest, on_cpu = parted(values, test)
    if test is None or values[0].device.is_cpu or not rest or not on_cpu:
        return joined(values)
    first = joined(rest)
    later = [like_it(v, first) if is_loaded(v) else v for v in on_cpu]
    return first.join(joined(later), test)


def parted(values: Sequence[Value], test: Condition | None) -> tuple[list[Value], list[Value]]:
    """The values that are where an argument is, or on a device that was chosen, and those that were
    left on the CPU; what a test has told apart is one of each. None if others are neither."""
    if test is None:
        return [], []
    then = [each.given(test, True) for each in values]
    orelse = [each.given(test, False) for each in values]
    pairs = zip(then, orelse, strict=True)
    if not all(is_placed(one) or is_left(other) for one, other in pairs):
        return [], []
    return [*filter(is_placed, then)], [*filter(is_left, orelse)]


def is_placed(value: Value) -> bool:
    return value.device.is_like or value.device.is_accelerator


def is_left(value: Value) -> bool:
    """Whether something is on the CPU, and was not taken there: who does that brings it back."""
    return value.device.is_cpu and not transfers.is_taken(value)


def either_content(contents: Sequence[Instance], test: Condition | None) -> Instance:
    """Any of the contents that a container has had."""
    filled = [each for each in contents if each.items]
    rest, on_cpu = parted([item for each in filled for item in each.items.values()], test)
    if test is None or not rest or not on_cpu or not all(map(is_placed, filled[0].items.values())):
        return reduce(Instance.join, contents)
    like = [each.with_each(lambda item: item.given(test, True)) for each in filled]
    placed = [each for each in like if all(map(is_placed, each.items.values()))]
    whole = reduce(Instance.join, placed)
    return whole.join(loaded_like(whole, joined(on_cpu)), test)


def is_loaded(value: Value) -> bool:
    """Whether it is of a file that was loaded onto the CPU, or of a state that may be."""
    device = value.device
    is_state = device.test is not None and device.test.tells_writer
    return value.kind is Kind.UNKNOWN and (device.is_cpu or is_state)


def loaded_like(content: Instance, loaded: Value) -> Instance:
    """A file that takes the place of a container, which it is used as."""
    if not content.items:
        return Instance(items={ANY: replace(loaded, kind=Kind.TENSOR, ref=None)})
    return content.with_each(lambda item: like_it(loaded, item))


def like_it(loaded: Value, before: Value) -> Value:
    """What takes the place of a value: what that was, it is."""
    return replace(loaded, kind=before.kind, dimensions=before.dimensions, ref=None)


def restored(value: Value, site: ir.Node, test: Condition) -> Value:
    """What a method puts in an attribute as it is of a state that it is given, which may have been
    loaded onto the CPU."""
    origin = Origin(site, "put there as it was loaded", source=RestoredState())
    return value.join(replace(value, device=ON_CPU, origin=origin), test)


def assigned_at(method: ir.Def, name: str) -> ir.Node:
    """Where a method first assigns an attribute of `self`, or an item of that."""
    for node in walk(method):
        if isinstance(node, ir.Assign) and any(names(each, name) for each in node.targets):
            return node
    return method


def names(target: ir.Expression, name: str) -> bool:
    whole = target.value if isinstance(target, ir.Subscript) else target
    return path(whole) == ["self", name]
