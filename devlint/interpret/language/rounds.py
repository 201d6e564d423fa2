"""Loops: what each round has for itself, and what all of them share."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Set

from devlint.facts.effect import Layer
from devlint.interpret.core.containers import is_unplaced, never_comes, sequence, some_order
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.module_state import is_module, parts
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.tensors import mixtures
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.dotted_names import last_word
from devlint.queries.tensor_evidence import bound
from devlint.values.alternatives import Either, alternatives
from devlint.values.instance import ANY
from devlint.values.value import Kind, Value

#: A loop over more items than these is run until what it starts with is stable.
UNROLLED = 6


def of_one_round(
    machine: Run, loop: ir.For | ir.While, changed: set[Hashable]
) -> Iterator[Hashable]:
    """The objects that stand for another one in each round: what the loop is over, and any item
    of a container."""
    yield from filter(stands_for_any, changed)
    names = bound([loop]) if isinstance(loop, ir.For) else ()
    for name in names:
        value = machine.lookup(name)
        for part in () if value is None else parts(machine, value, set()):
            yield from (ref for ref in alternatives(part.ref) if ref in changed)


def stands_for_any(ref: Hashable) -> bool:
    while isinstance(ref, Child):
        if ref.key == ANY:
            return True
        ref = ref.parent
    return isinstance(ref, Either)


def told_apart(machine: Run, loop: ir.For) -> list[Value] | None:
    """The items that a loop is over, where each may do something else with its names: functions,
    objects of classes in view or of which the parts are known, layers, and texts, which may name
    attributes; and tensors in different places."""
    iterated = machine.here().get(loop)
    if isinstance(iterated, Value) and never_comes(machine, iterated):
        return []
    if parts_called := called_parts(machine, loop):
        return parts_called
    items = items_of(machine, loop)
    if 1 < len(items) <= UNROLLED and any(does_something(machine, each) for each in items):
        return items
    return mixtures.apart(machine, iterated) if isinstance(iterated, Value) else None


def called_parts(machine: Run, loop: ir.For) -> list[Value]:
    """Of `for part in net.modules()`, those in view whose methods the loop calls, a few at most."""
    if not isinstance(loop.iter, ir.Call) or last_word(loop.iter.func) != "modules":
        return []
    methods = machine.once(methods_called, loop)
    iterated = machine.here().get(loop)
    if not methods or not isinstance(iterated, Value):
        return []
    held = parts(machine, iterated, set(), is_registered=True)
    found = [each for each in held if defines(machine, each, methods)]
    return found if len(found) <= UNROLLED else []


def methods_called(loop: ir.For) -> frozenset[str]:
    """The methods of its item that a loop calls."""
    functions = (
        node.func for each in loop.body for node in walk(each) if isinstance(node, ir.Call)
    )
    target = loop.target.id if isinstance(loop.target, ir.Name) else None
    return frozenset(
        each.name
        for each in functions
        if isinstance(each, ir.Attribute)
        and isinstance(each.value, ir.Name)
        and each.value.id == target
    )


def defines(machine: Run, value: Value, methods: Set[str]) -> bool:
    """Whether it is a module of a class in view that has one of some methods."""
    type_ = machine.instance(value.ref).type
    if not isinstance(type_, ClassInfo) or not type_.is_module:
        return False
    return any(type_.method(name) is not None for name in methods)


def apart(machine: Run, whole: Value) -> list[Value] | None:
    """The items of a list that are known and not all the same, for a comprehension; but for modules
    and numbers, each of which does as the others do. Their order need not be known."""
    items = sequence(machine, whole) or some_order(machine, whole) or []
    if len(items) == 1 and is_unplaced(*machine.instance(whole.ref).items):
        return None  # What a loop has put there stands for several.
    is_plain = all(each.is_number or is_module(machine, each) for each in items)
    if is_plain or len(items) > UNROLLED:
        return None
    is_one = len(items) == 1 or any(each != items[0] for each in items)
    return items if is_one or any(does_something(machine, each) for each in items) else None


def items_of(machine: Run, loop: ir.For) -> list[Value]:
    iterated = machine.here().get(loop)
    items = some_order(machine, iterated) if isinstance(iterated, Value) else None
    written = loop.iter.items if isinstance(loop.iter, ir.Display) else ()
    if items is None and all(isinstance(each, (ir.Constant, ir.Name)) for each in written):
        return [machine.evaluate(each) for each in written]
    return items or []


def does_something(machine: Run, item: Value) -> bool:
    if item.kind in (Kind.FUNCTION, Kind.METHOD, Kind.CLASS):
        return True
    if item.kind is Kind.CONTAINER:
        return any(does_something(machine, each) for each in sequence(machine, item) or ())
    if item.kind is Kind.CONSTANT:
        return isinstance(item.payload, str)
    instance = machine.instance(item.ref)
    has_parts = item.kind is Kind.OBJECT and bool(instance.attributes)
    return has_parts or isinstance(instance.type, ClassInfo | Layer)
