"""The arguments of a call, evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import element, in_order, is_unplaced, joined
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import maker
from devlint.lower import ir
from devlint.values.alternatives import possible_objects
from devlint.values.condition import Condition
from devlint.values.instance import ANY, ItemKey, Present
from devlint.values.payload import Constant
from devlint.values.value import Kind, Value


def evaluated(machine: Run, call: ir.Call) -> Arguments:
    """Items of a `*x` or `**x` that are known count as written out."""
    positional: list[Argument] = []
    rest: list[Argument] = []
    is_open = False
    for node in call.args:
        if not isinstance(node, ir.Starred):
            (rest if is_open else positional).append(Argument(node, machine.evaluate(node)))
            continue
        spread = machine.evaluate(node.value)
        known = counted(machine, spread)
        if known is None or is_open:
            is_open = True
            rest += (Argument(node, each) for each in some(machine, spread, node))
        else:
            positional += [Argument(node, value) for value in known]
    keywords: dict[str, Argument] = {}
    mapped: list[Argument] = []
    for name, node in call.keywords:
        value = machine.evaluate(node)
        if name is not None:
            keywords[name] = Argument(node, value)
            continue
        named = named_items(machine, value)
        if named is None:
            is_open = True
            mapped.append(Argument(node, value))
        keywords.update({key: Argument(node, item) for key, item in (named or {}).items()})
    return Arguments(tuple(positional), keywords, tuple(rest), is_open, tuple(mapped))


def some(machine: Run, value: Value, node: ir.Starred) -> list[Value]:
    """What `*x` may give: what is put into a list at several places is there all at once."""
    is_list = value.kind is Kind.CONTAINER and not value.device.is_known
    held = all_of(machine, value) if is_list else []
    return held or [element(machine, value, node)]


def counted(machine: Run, value: Value) -> list[Value] | None:
    """The items of a container all of which are known, in order."""
    if value.kind is not Kind.CONTAINER:
        return None
    known = in_order(machine.instance(value.ref).items)
    is_empty = isinstance(maker(value.ref), ir.Parameter) and not machine.instance(value.ref).items
    return known if known or (is_empty and machine.has_instance(value.ref)) else None


def named_items(machine: Run, value: Value) -> dict[str, Value] | None:
    """The items of a dict all of whose keys are known strings, if it has any."""
    items = machine.instance(value.ref).items
    is_known = value.kind is Kind.CONTAINER and not value.device.is_known
    if not is_known or not (items or any(map(machine.has_instance, possible_objects(value.ref)))):
        return None
    named = {key.at: item for key, item in items.items() if isinstance(key.at, str)}
    return named if len(named) == len(items) else None


def default_of(value: Value) -> Constant | None:
    """What an argument is by its default, where that is written out."""
    default = value.ref.default if isinstance(value.ref, ir.Parameter) else None
    return default.value if isinstance(default, ir.Constant) else None


def all_of(machine: Run, whole: Value) -> list[Value]:
    """The items that are in a container at once: those that exclude each other are one on either
    path, and what stands for several is each of two that a loop has put there in different
    rounds."""
    found: list[Value] = []
    parted: dict[Condition, tuple[list[Value], list[Value]]] = {}
    for key, item in machine.instance(whole.ref).items.items():
        present = item.tag(Present)
        if present is None or present.test is None:
            found.extend(in_rounds(machine, key, item))
        else:
            parted.setdefault(present.test, ([], []))[not present.truth].append(item)
    for test, (then, orelse) in parted.items():
        found.extend(on_either(test, then, orelse) if then and orelse else [*then, *orelse])
    return found


def on_either(test: Condition, then: list[Value], orelse: list[Value]) -> Iterator[Value]:
    """What a container has on one of two paths, each with what it has there on the other."""
    if len(then) < len(orelse):
        test, then, orelse = test.negated(), orelse, then
    rest = joined(each.untagged(Present) for each in orelse)
    return (each.untagged(Present).join(rest, test) for each in then)


def in_rounds(machine: Run, key: ItemKey, item: Value) -> Iterable[Value]:
    """What a key has where a test that tells the rounds of a loop apart comes out either way."""
    test = item.device.test
    is_one = key != ANY and not is_unplaced(key)
    if test is None or test.loop is None or is_one or item.device.is_chosen:
        return (item,)
    if any(each.node is test.loop for each in machine.loops):
        return (item,)
    return item.given(test, True), item.given(test, False)
