"""Objects that are like others, and others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

from devlint.facts.effect import Container, Layer
from devlint.interpret.core import module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
from devlint.values.alternatives import Either, possible_objects
from devlint.values.instance import ANY, Instance, ItemKey
from devlint.values.tags import AllParts
from devlint.values.value import Kind, Value


def copies(
    machine: Run, value: Value, key: Callable[[Hashable], Hashable]
) -> Iterator[tuple[Hashable, Instance]]:
    """Another object in the same state, and others of all that it holds, each with the key that one
    is given for that of the first."""
    held = {
        ref: key(ref)
        for part in module_state.parts(machine, value, set())
        for ref in possible_objects(part.ref)
        if machine.has_instance(ref)
    }

    def other(ref: Hashable) -> Hashable:
        if isinstance(ref, Either):
            return Either(other(ref.one), other(ref.other), ref.test)
        return held.get(ref, ref)

    for ref in held:
        copy = machine.instance(ref).with_each(lambda item: replace(item, ref=other(item.ref)))
        yield other(ref), replace(copy, attaches=())


def one_of(machine: Run, whole: Value, index: object, known: Value) -> Value:
    """One of several items that are known as one: what happens to it happens to no other."""
    is_whole = known.tag(AllParts) is not None
    if known.kind is not Kind.MODULE or isinstance(known.ref, Either) or is_whole:
        return known
    if whole.kind not in (Kind.MODULE, Kind.CONTAINER) or is_moved_alone(machine, known):
        return Value(tags=known.tags)
    child = Child(known.ref, ANY) if index is None else Child(whole.ref, ItemKey(index))
    if not machine.has_instance(child):
        copy_one(machine, whole, child, known)
    elif machine.instance(child).move is None and is_elsewhere(machine, child, known):
        return Value(tags=known.tags)
    is_known = isinstance(machine.instance(known.ref).type, Container | ClassInfo)
    return Value(Kind.MODULE if is_known else Kind.UNKNOWN, ref=child, tags=known.tags)


def copy_one(machine: Run, whole: Value, child: Child, known: Value) -> None:
    """Let one of several be in the state of those. A module holds it from then on; what goes
    through a plain list comes by those alone."""
    if not isinstance(machine.instance(known.ref).type, Container | ClassInfo | Layer):
        return
    for ref, copy in copies(machine, known, lambda ref: part(child, known, ref)):
        keep = machine.store if ref == child and whole.kind is Kind.MODULE else machine.put
        keep(ref, copy)
        machine.here().put_first(ref, copy)  # In all rounds of a loop it is the same one.


def is_moved_alone(machine: Run, known: Value) -> bool:
    """Whether one of several has been moved, of which nobody knows which one."""
    some = Child(known.ref, ANY)
    return machine.has_instance(some) and is_elsewhere(machine, some, known)


def is_elsewhere(machine: Run, one: Child, known: Value) -> bool:
    """Whether one of several, or all of them, have been moved since it was looked at."""
    here, _ = module_state.module_device(machine, Value(Kind.MODULE, ref=one))
    there, _ = module_state.module_device(machine, known)
    return here != there


def part(whole: Child, like: Value, ref: Hashable) -> Child:
    """The key of what is to one object what something is to another one that is like it."""
    return whole if ref == like.ref else Child(whole, ItemKey(ref))
