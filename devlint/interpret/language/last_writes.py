"""Attributes that some methods leave on the CPU, and others where an argument is: where they are
depends on which of them has run last."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import reduce

from devlint.interpret.core.containers import joined
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import path
from devlint.values.condition import WRITER, Condition
from devlint.values.device import ON_CPU
from devlint.values.instance import ANY, Instance
from devlint.values.origin import Origin
from devlint.values.source import RestoredState
from devlint.values.value import Kind, Value

#: The method that puts back a state which was saved.
RESTORES = "load_state_dict"


def last_write(owner: ClassInfo, name: str) -> Condition:
    """The test of which method has written an attribute last."""
    return Condition((WRITER, owner.node, name))


def either(values: Sequence[Value], test: Condition) -> Value:
    """Any of the values that an attribute has had, from the first one on: what begins on the CPU
    need not be used before it is moved."""
    # What a method makes like the attribute itself is one of the others.
    values = [each for each in values if each.device.test != test]
    on_cpu = [each for each in values if each.device.is_cpu]
    rest = [each for each in values if not each.device.is_cpu]
    is_first = values[0].device.is_cpu
    if is_first or not on_cpu or not rest or not all(each.device.is_like for each in rest):
        return joined(values)
    first = joined(rest)
    later = [like_it(v, first) if is_loaded(v) else v for v in on_cpu]
    return first.join(joined(later), test)


def either_content(contents: Sequence[Instance], test: Condition) -> Instance:
    """Any of the contents that a container has had."""
    rest, later = list[Instance](), list[Value]()
    for each in filter(items, contents):
        then = each.with_each(lambda item: item.given(test, True))
        if all(item.device.is_like for item in items(then)):
            rest.append(then)
        elif rest:
            later += (item.given(test, False) for item in items(each))
    if not later or not all(item.device.is_cpu for item in later):
        return reduce(Instance.join, contents)
    whole = reduce(Instance.join, rest)
    return whole.join(loaded_like(whole, joined(later)), test)


def items(content: Instance) -> Collection[Value]:
    return content.items.values()


def is_loaded(value: Value) -> bool:
    """Whether it is of a file that was loaded onto the CPU."""
    return value.kind is Kind.UNKNOWN and value.device.is_cpu


def loaded_like(content: Instance, loaded: Value) -> Instance:
    """A file that takes the place of a container, which it is used as."""
    if not content.items:
        return Instance(items={ANY: replace(loaded, kind=Kind.TENSOR, ref=None)})
    return content.with_each(lambda item: like_it(loaded, item))


def like_it(loaded: Value, before: Value) -> Value:
    """What takes the place of a value: what that was, it is."""
    return replace(loaded, kind=before.kind, dimensions=before.dimensions, ref=None)


def restored(value: Value, site: ir.Node) -> Value:
    """What a method puts in an attribute as it is of a state that it is given."""
    origin = Origin(site, "put there as it was loaded", source=RestoredState())
    return replace(value, device=ON_CPU, origin=origin)


def assigned_at(method: ir.Def, name: str) -> ir.Node:
    """Where a method first assigns an attribute of `self`, or an item of that."""
    for node in walk(method):
        if isinstance(node, ir.Assign) and any(names(each, name) for each in node.targets):
            return node
    return method


def names(target: ir.Expression, name: str) -> bool:
    whole = target.value if isinstance(target, ir.Subscript) else target
    return path(whole) == ["self", name]
