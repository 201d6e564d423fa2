"""Lists, tuples, dicts and what else is iterated over or indexed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from devlint.interpret.core import batches
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.copies import one_of
from devlint.interpret.core.expression_keys import is_of_round, sought
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child, Made
from devlint.interpret.core.signals import DataIterated
from devlint.lower import ir
from devlint.values.alternatives import Either, possible_objects
from devlint.values.device import Device
from devlint.values.instance import (
    ANY,
    NO_ATTRIBUTES,
    Instance,
    ItemKey,
    Key,
    Present,
    Sought,
    Unplaced,
)
from devlint.values.payload import Payload
from devlint.values.tags import MakesItems, NoTensor
from devlint.values.value import NOTHING, Kind, Value, as_device

#: Items of one container that are told apart by the calls that put them there.
APART = 8
#: What makes empty containers, by their names.
EMPTY = frozenset("deque dict list set".split())


@dataclass(frozen=True, slots=True)
class Anew(Payload):
    """What a `factory` makes that was given to a `call`: another one each time."""

    call: ir.Call
    factory: Value


def key_text(key: Key) -> str:
    """The key of an attribute or item, as it follows the name of its holder: `fc`, `[0]`."""
    return key if isinstance(key, str) else f"[{key.at!r}]"


def container(machine: Run, node: ir.Node, items: Mapping[ItemKey, Value]) -> Value:
    """A container made at a node, with what it holds: how many items there are, or what they are
    called, counts wherever it is spread."""
    return machine.make(node, Instance(items=items), Kind.CONTAINER)


def never_comes(machine: Run, value: Value) -> bool:
    """Whether a value, or each item of a container, is what a call gives of its own function."""
    if value.kind is not Kind.CONTAINER or value.ref is None:
        return value.kind is Kind.NEVER
    held = items_of(machine, value)
    return bool(held) and all(each.kind is Kind.NEVER for each in held)


def sequence(machine: Run, value: Value) -> list[Value] | None:
    """The items of a list or tuple, if all of them are known in their order."""
    if value.kind is not Kind.CONTAINER or value.device.is_known or value.ref is None:
        return None
    return in_order(machine.instance(value.ref).items) or None


def some_order(machine: Run, value: Value) -> list[Value] | None:
    """The items of a container in an order that they may have, if each is known by itself."""
    items = machine.instance(value.ref).items
    if value.kind in (Kind.MODULE, Kind.OBJECT):
        return in_order(items) or (list(items.values()) if items and ANY not in items else None)
    known = sequence(machine, value)
    if known is not None or value.kind is not Kind.CONTAINER or value.device.is_known:
        return known
    is_open = ANY in items or any(isinstance(key.at, str) for key in items)
    is_sure = not any(each.tag(Present) for each in items.values())
    return list(items.values()) if is_sure and not is_open else None


def is_empty(machine: Run, value: Value) -> bool:
    """`[]`, which in `xs or []` stands for having none."""
    is_plain = value.kind is Kind.CONTAINER and not value.device.is_known
    return is_plain and value.ref is not None and not items_of(machine, value)


def in_order(items: Mapping[ItemKey, Value]) -> list[Value]:
    """The items by position; none where one is known by anything else."""
    known = [items[ItemKey(index)] for index in range(len(items)) if ItemKey(index) in items]
    return known if len(known) == len(items) else []


def numbered(values: Iterable[Value], rest: Iterable[Value] = ()) -> dict[ItemKey, Value]:
    """The items of a list or tuple of `values`, and of as many as there are of `rest`."""
    items = {ItemKey(index): value for index, value in enumerate(values)}
    behind = list(rest)
    return {**items, ANY: joined(behind)} if behind else items


def items_of(machine: Run, value: Value) -> list[Value]:
    """The items of a container as far as they are known."""
    return list(machine.instance(value.ref).items.values())


def blur(machine: Run, whole: Value, added: Value, index: ir.Expression | None = None) -> None:
    """Put something at a place that is not known, but for how its index is written: from then on
    any item may be anywhere else."""
    if whole.ref is None:
        return
    items = {ANY: joined([*items_of(machine, whole), added])}
    if index is not None and (key := sought(machine, index)) is not None:
        items[key] = added
    instance = machine.instance(whole.ref)
    machine.store(whole.ref, replace(instance, attributes=NO_ATTRIBUTES, items=items))


def add(machine: Run, whole: Value, added: Value, node: ir.Node) -> None:
    """Put something behind all that is there; whatever a loop puts there is at one key, but for
    what later rounds put there that is in another place."""
    if whole.ref is None:
        return
    instance, path = machine.instance(whole.ref), machine.frame.path
    is_small = len(instance.items) < APART and path
    key = ItemKey(Made(node, path) if is_small else node)
    before = instance.items.get(key)
    bare = added.untagged(Present)
    if before is not None and before.device.is_known and before.device != bare.device:
        # What a name may be in any round, it is in some: the first has put the item before.
        later = bare.device.atoms - before.device.atoms
        bare = replace(bare, device=Device(later)) if later else bare
        key = ItemKey(Made(node, (*path, node)))
        before = instance.items.get(key)
    value = bare if before is None else added_again(before, bare)
    machine.store(whole.ref, instance.holding(key, value))


def added_again(before: Value, added: Value) -> Value:
    """What a loop has put at one place in this round and earlier ones."""
    held, value = before.tag(Present), before.untagged(Present).join(added)
    is_anew = held is not None and (held.test is None or is_of_round(held.test))
    return value.tagged(Present()) if is_anew else value


def put_last(machine: Run, whole: Value, index: ir.Expression) -> Value | None:
    """The item that was put in last at an index that is known by what it is written as alone."""
    items = machine.instance(whole.ref).items
    key = sought(machine, index) if any(isinstance(each.at, Sought) for each in items) else None
    return None if key is None else items.get(key)


def joined(values: Iterable[Value]) -> Value:
    """Any of several values."""
    result: Value | None = None
    before: Present | None = None
    for value in values:
        present = value.tag(Present)
        bare = value if present is None else value.untagged(Present)
        if result is None:
            result, before = bare, present
        elif present is not None and before is not None and present.excludes(before):
            one, other = (result, bare) if before.truth else (bare, result)
            result = one.join(other, present.test)
        else:
            result = either_place(result, bare) or result.join(bare)
    return NOTHING if result is None else result


def either_place(one: Value, other: Value) -> Value | None:
    """Of two devices in a list, one of which is the CPU, no program chooses one at run time: it
    uses both."""
    first, second = as_device(one), as_device(other)
    if first is None or second is None or first.is_cpu is second.is_cpu:
        return None
    return Value(Kind.DEVICE, first.join(second))


def element(machine: Run, value: Value, node: ir.Node) -> Value:
    """What iterating over a value gives."""
    if (found := machine.of_either(value, lambda one: element(machine, one, node))) is not None:
        return found
    if value.kind is Kind.OBJECT and value.payload in batches.GIVERS:
        machine.publish(DataIterated(value))
    if (given := batches.given(machine, value, node)) is not None:
        return given
    if value.kind is Kind.NUMBER:
        return value
    if value.kind in (Kind.TENSOR, Kind.ARRAY):
        return replace(value, dimensions=value.dimensions.changed(-1), payload=None, tags=())
    items = items_of(machine, value)
    if items and is_open(machine, value):
        return joined([*items, NOTHING])
    if value.kind is Kind.CONTAINER and value.device.is_known:
        each = Value(Kind.TENSOR, value.device, value.dimensions, origin=value.origin)
        return joined([each, *items])
    if len(items) == 1 or (items and value.kind is not Kind.MODULE):
        return joined(items)
    if value.kind is Kind.CONTAINER:
        return NOTHING
    value = holding(value)
    if value.ref is not None:
        return batches.some_part(value)
    return Value(device=value.device, ref=machine.key(node), origin=value.origin)


def holding(value: Value) -> Value:
    """A value by which what it holds is known."""
    tag = value.tag(NoTensor)
    return value if tag is None else replace(value, device=tag.device)


def item(machine: Run, value: Value, index: object, node: ir.Node) -> Value:
    """The item at a constant index (None: at any)."""
    if (found := machine.of_either(value, lambda one: item(machine, one, index, node))) is not None:
        return found
    if (given := batches.given(machine, value, node)) is not None:
        return given
    items = machine.instance(value.ref).items
    if index is not None and ItemKey(index) in items:
        return items[ItemKey(index)]
    makes = machine.instance(value.ref).tag(MakesItems)
    if makes is not None and isinstance(makes.maker, Anew) and is_missing(items, index):
        return set_by_default(machine, value, index, anew(machine, makes.maker, node))
    known, is_filled = items_of(machine, value), any(map(is_unplaced, items))
    if known and is_open(machine, value):
        return joined([*known, NOTHING])
    if value.kind is Kind.CONTAINER and is_filled:
        return joined(known)
    if value.kind is Kind.CONTAINER and value.device.is_known:
        return element(machine, value, node)
    value = holding(value)
    if isinstance(index, int) and index < 0 and -index <= len(known) and ANY not in items:
        return known[index]
    if index is None and len(known) == 1 and ANY not in items and not is_filled:
        return known[0]
    if ANY in items or is_filled or (index is None and known):
        return one_of(machine, value, index, joined(known))
    if value.kind in (Kind.UNKNOWN, Kind.MODULE, Kind.OBJECT) and value.ref is not None:
        child = Child(value.ref, ItemKey(index))
        return batches.part(value, Value(device=value.device, ref=child, origin=value.origin))
    return element(machine, value, node) if not known else NOTHING


def is_open(machine: Run, value: Value) -> bool:
    """Whether it may be something else than containers of which the items are known."""
    if value.kind is not Kind.UNKNOWN or not isinstance(value.ref, Either):
        return False
    return not all(machine.instance(each).items for each in possible_objects(value.ref))


def is_unplaced(key: ItemKey) -> bool:
    """Whether it is the key of an item whose index is not known."""
    return isinstance(key.at, (ir.Node, Made, Unplaced))


def is_missing(items: Mapping[ItemKey, Value], index: object) -> bool:
    """Whether a dict surely has no item at an index (None: at any)."""
    return not items or not (index is None or ANY in items or ItemKey(index) in items)


def anew(machine: Run, maker: Anew, node: ir.Node) -> Value:
    """What a factory makes for a node."""
    name = maker.factory.payload
    if not isinstance(name, str) or name.rpartition(".")[2] not in EMPTY:
        return machine.apply(maker.call, maker.factory, Arguments())
    key = Made(maker.call, (*machine.frame.path, node))
    return machine.put(key, Instance(), Kind.CONTAINER)


def set_by_default(machine: Run, whole: Value, index: object, default: Value) -> Value:
    """The default, which is the item at an index (None: at any) from now on."""
    key = ANY if index is None else ItemKey(index)
    machine.store(whole.ref, machine.instance(whole.ref).holding(key, default))
    return default
