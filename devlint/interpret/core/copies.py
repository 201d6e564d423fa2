"""Objects that are like others, and others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

from devlint.facts.effect import Container, Layer
from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
from devlint.values.alternatives import Either
from devlint.values.instance import ANY, NO_ATTRIBUTES, NO_ITEMS, Instance, ItemKey
from devlint.values.value import Kind, Value


def copies(
    machine: Run, value: Value, key: Callable[[Hashable], Hashable]
) -> Iterator[tuple[Hashable, Instance]]:
    """Another object in the same state, and others of all that it holds, each with the key that one
    is given for that of the first."""
    held = {
        part.ref: key(part.ref)
        for part in module_state.parts(machine, value, set())
        if part.ref is not None
    }
    for ref, other in held.items():
        if machine.has_instance(ref):
            copy = machine.instance(ref).with_each(
                lambda item: replace(item, ref=held.get(item.ref, item.ref))
            )
            yield other, replace(copy, attaches=())


def one_of(machine: Run, whole: Value, index: object, known: Value) -> Value:
    """One of several items that are known as one: what happens to it happens to no other."""
    if known.kind is not Kind.MODULE or isinstance(known.ref, Either):
        return known
    if whole.kind not in (Kind.MODULE, Kind.CONTAINER):
        return Value(tags=known.tags)
    child = Child(known.ref, ANY) if index is None else Child(whole.ref, ItemKey(index))
    like = machine.instance(known.ref)
    if isinstance(like.type, Container | ClassInfo):
        if not machine.has_instance(child):
            for ref, copy in copies(machine, known, lambda r: part(child, known, r)):
                machine.store(ref, copy)
                machine.here().put_first(ref, copy)  # In all rounds of a loop it is the same one.
        return Value(Kind.MODULE, ref=child, tags=known.tags)
    if not machine.has_instance(child) and isinstance(like.type, Layer):
        machine.store(child, replace(like, attributes=NO_ATTRIBUTES, items=NO_ITEMS, attaches=()))
    return Value(ref=child, tags=known.tags)


def part(whole: Child, like: Value, ref: Hashable) -> Child:
    """The key of what is to one object what something is to another one that is like it."""
    return whole if ref == like.ref else Child(whole, ItemKey(ref))
