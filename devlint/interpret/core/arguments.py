"""The arguments of a call, evaluated."""

from __future__ import annotations

from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import all_of, element, in_order
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import maker
from devlint.lower import ir
from devlint.values.alternatives import possible_objects
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
