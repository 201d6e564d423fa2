"""What methods of lists and dicts give and do."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

from devlint.facts.effect import Moves
from devlint.facts.table import method_fact
from devlint.interpret.core.call import Argument, Call
from devlint.interpret.core.containers import (
    add,
    blur,
    container,
    element,
    in_order,
    is_missing,
    item,
    numbered,
    sequence,
    set_by_default,
)
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import display_kind
from devlint.interpret.tensors import transfers
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.values.condition import Condition
from devlint.values.device import UNKNOWN
from devlint.values.instance import ANY, NO_ITEMS, Instance, ItemKey
from devlint.values.origin import Origin
from devlint.values.tags import ParameterName
from devlint.values.value import NONE, NOTHING, Kind, Value

#: Methods of lists and dicts that add to them, and that move what is in them about.
ADDS = frozenset("append add appendleft insert extend update".split())
BEHIND = frozenset("append add extend".split())
SHIFTS = frozenset("remove clear reverse sort popleft popitem".split())


def fills(method: ir.Def) -> bool:
    """Whether a method may put something in a container."""
    if not ADDS.isdisjoint(method.words - {method.name}):
        return True
    assigned = (each for each in walk(method) if isinstance(each, ir.Assign))
    return any(isinstance(target, ir.Subscript) for each in assigned for target in each.targets)


def method(machine: Run, call: Call) -> Value:
    node, name, receiver = call.node, call.name, call.receiver
    given = call.arguments.positional
    if name == "update" and (items := updates(machine, call)) is not None:
        instance = machine.instance(receiver.ref)
        machine.store(receiver.ref, replace(instance, items={**instance.items, **items}))
        return NONE
    if name == "remove" and removed(machine, call):
        return NONE
    if (changed := rearranged(machine, call)) is not None:
        return changed
    if name in ADDS and given:
        added = given[-1].value
        several = name in ("extend", "update")
        put_in(machine, call, element(machine, added, node) if several else added)
        return NONE
    if name == "items" and (known := pairs(machine, call)) is not None:
        return known
    if name == "keys":
        return keys(machine, receiver) or NOTHING
    if name == "items":
        pair = numbered([name_in(machine, receiver), element(machine, receiver, node)])
        return container(machine, node, {ANY: container(machine, node.func, pair)})
    if name in SHIFTS or (name == "pop" and not is_text(given)):
        found = element(machine, receiver, node)
        blur(machine, receiver, NOTHING if name == "clear" else found)
        return found if name in ("pop", "popleft") else NONE
    if name in ("get", "pop", "setdefault"):
        return looked_up(machine, call)
    if name in ("to", "cuda", "cpu"):
        fact = method_fact(name)
        assert isinstance(fact, Moves)
        device = transfers.destination(fact, call.arguments)
        return Value(device=device or UNKNOWN, origin=Origin(node, "moved here"))
    if name == "values":
        return values(machine, call)
    if name == "copy" and machine.has_instance(receiver.ref):
        return machine.put(
            ("copy", machine.key(node)), machine.instance(receiver.ref), receiver.kind
        )
    return receiver if name == "copy" else NOTHING


def values(machine: Run, call: Call) -> Value:
    """What a dict holds; itself, where a loop over it does not go through its keys."""
    receiver = call.receiver
    if named := by_text(machine, receiver):
        return container(machine, call.node, numbered(named.values()))
    if keys(machine, receiver) is None:
        return receiver
    items = machine.instance(receiver.ref).items
    if items and all(isinstance(key.at, (str, int, tuple)) for key in items):
        return container(machine, call.node, numbered(items.values()))
    return container(machine, call.node, {ANY: element(machine, receiver, call.node)})


def looked_up(machine: Run, call: Call) -> Value:
    """What `get(key)`, `pop(key)` and `setdefault(key, default)` give."""
    receiver, given = call.receiver, call.arguments.positional
    key = given[0].value.payload if given and given[0].value.kind is Kind.CONSTANT else None
    if given and given[0].value.kind is Kind.DEVICE:
        return NOTHING  # It is kept for each device.
    is_set = call.name == "setdefault" and len(given) == 2 and receiver.ref is not None
    if is_set and is_missing(machine.instance(receiver.ref).items, key):
        return set_by_default(machine, receiver, key, given[1].value)
    return or_default(machine, call, key, item(machine, receiver, key, call.node))


def by_text(machine: Run, value: Value) -> Mapping[ItemKey, Value]:
    """The items of a dict that is known item by item, by texts; none of anything else."""
    items = machine.instance(value.ref).items
    is_known = value.kind is Kind.CONTAINER and all(isinstance(key.at, str) for key in items)
    return items if is_known else NO_ITEMS


def keys(machine: Run, whole: Value) -> Value | None:
    """What a loop over a dict goes through; None of what is none that was made in view, and no
    state dict."""
    is_state = machine.instance(whole.ref).tag(ParameterName) is not None
    is_dict = display_kind(whole.ref) == "dict" or is_state
    if whole.kind is not Kind.CONTAINER or not is_dict:
        return None
    named = [Value(Kind.CONSTANT, payload=str(key.at)) for key in by_text(machine, whole)]
    items = numbered(named) if named else {ANY: name_in(machine, whole)}
    return machine.put(("keys", whole.ref), Instance(items=items), Kind.CONTAINER)


def name_in(machine: Run, whole: Value) -> Value:
    """A key of which nothing is known: that of a parameter, in a dict that has those."""
    tag = machine.instance(whole.ref).tag(ParameterName)
    return NOTHING if tag is None else NOTHING.tagged(tag)


def pairs(machine: Run, call: Call) -> Value | None:
    """What `items()` gives of a dict that is known item by item: the pairs in their order."""
    items = by_text(machine, call.receiver)
    if not items:
        return None
    found = []
    for key, value in items.items():
        pair = numbered([Value(Kind.CONSTANT, payload=str(key.at)), value])
        found.append(inner(machine, call.node, key, pair))
    return container(machine, call.node, numbered(found))


def inner(machine: Run, node: ir.Call, place: Hashable, items: Mapping[ItemKey, Value]) -> Value:
    """One of the containers that a call gives in one, by its place there."""
    return machine.put(("inner", place, machine.key(node)), Instance(items=items), Kind.CONTAINER)


def or_default(machine: Run, call: Call, key: object, found: Value) -> Value:
    """What `get` gives: an item, or its default where that may be missing."""
    given, items = call.arguments.positional, machine.instance(call.receiver.ref).items
    if len(given) < 2 or ItemKey(key) in items:
        return found
    default = given[1].value
    is_empty = call.receiver.kind is Kind.CONTAINER and not items
    return default if is_empty else found.join(default, Condition(machine.key(call.node)))


def rearranged(machine: Run, call: Call) -> Value | None:
    """What `reverse()`, `insert(1, x)` and `pop(0)` give of a list that is known item by item."""
    known, given = sequence(machine, call.receiver), call.arguments.positional
    index = given[0].value.payload if given else None
    if known is None or call.arguments.rest or machine.loops:
        return None
    result = NONE
    if call.name == "reverse":
        known.reverse()
    elif call.name == "insert" and isinstance(index, int) and len(given) == 2:
        known.insert(index, given[1].value)
    elif call.name == "pop" and not given and display_kind(call.receiver.ref) == "list":
        result = known.pop()
    elif call.name == "pop" and isinstance(index, int) and -len(known) <= index < len(known):
        result = known.pop(index)
    else:
        return None
    items = numbered(known)
    instance = machine.instance(call.receiver.ref)
    machine.store(call.receiver.ref, replace(instance, items=items))
    return result


def removed(machine: Run, call: Call) -> bool:
    """Take an item out of a list in which it is the only one of its kind, if it is known to be."""
    given, instance = call.arguments.positional, machine.instance(call.receiver.ref)
    sought = given[0].value.ref if given and not machine.loops else None
    places = [key for key, item in instance.items.items() if item.ref == sought]
    if sought is None or len(places) != 1 or places == [ANY]:
        return False
    is_ordered = bool(in_order(instance.items))
    items = {key: item for key, item in instance.items.items() if key not in places}
    left = numbered(items.values()) if is_ordered else items
    machine.store(call.receiver.ref, replace(instance, items=left))
    return True


def updates(machine: Run, call: Call) -> dict[ItemKey, Value] | None:
    """The items that `update` sets, if all of their keys are known."""
    arguments, known = call.arguments, call.receiver.ref is not None
    found: dict[ItemKey, Value] = {}
    for each in arguments.positional:
        items = machine.instance(each.value.ref).items if each.value.ref is not None else {}
        is_dict = bool(items) or is_written(machine, each.value)
        is_dict = is_dict and all(isinstance(key.at, str) for key in items)
        known = known and is_dict and not each.value.device.is_known
        found |= items
    found |= {ItemKey(name): each.value for name, each in arguments.keywords.items()}
    is_given = bool(arguments.positional or arguments.keywords)
    return found if known and is_given and not (arguments.rest or arguments.mapped) else None


def is_written(machine: Run, value: Value) -> bool:
    """Whether it is a dict that was made in view, if without items."""
    return display_kind(value.ref) == "dict" and machine.has_instance(value.ref)


def put_in(machine: Run, call: Call, added: Value) -> None:
    if call.name in BEHIND:
        add(machine, call.receiver, added, call.node)
    else:
        blur(machine, call.receiver, added)


def is_text(given: tuple[Argument, ...]) -> bool:
    return bool(given) and isinstance(given[0].value.payload, str)
