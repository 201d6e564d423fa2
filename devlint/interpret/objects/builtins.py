"""What Python's own functions make of iterables, and which of them give numbers."""

from __future__ import annotations

from devlint.interpret.core.call import Arguments
from devlint.interpret.core.containers import container, element
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.instance import ANY, ItemKey
from devlint.values.value import NOTHING, Kind, Value


def same(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return arguments.positional[0].value if arguments.positional else NOTHING


def reordered(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return container(machine, node, {ANY: next_item(machine, node, arguments)})


def numbered(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    pair = {ItemKey(0): Value(Kind.NUMBER), ItemKey(1): next_item(machine, node, arguments)}
    return container(machine, node, {ANY: container(machine, node.func, pair)})


def zipped(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    items = elements(machine, arguments)
    return container(machine, node, {ANY: container(machine, node.func, items)})


def chained(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return container(machine, node, {} if arguments.rest else elements(machine, arguments))


def elements(machine: Run, arguments: Arguments) -> dict[ItemKey, Value]:
    """One element of each argument, by their places."""
    given = enumerate(arguments.positional)
    return {ItemKey(i): element(machine, a.value, a.node) for i, a in given}


def next_item(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return element(machine, same(machine, node, arguments), node)


def filtered(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    """`filter(predicate, items)` gives some of the items."""
    return arguments.positional[1].value if len(arguments.positional) == 2 else NOTHING


def number(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    return Value(Kind.NUMBER)


FUNCTIONS = {
    **dict.fromkeys(("builtins.list", "builtins.tuple", "builtins.iter"), same),
    **dict.fromkeys(("builtins.sorted", "builtins.reversed"), reordered),
    **dict.fromkeys(("builtins.len", "builtins.int", "builtins.float"), number),
    "builtins.enumerate": numbered,
    "builtins.filter": filtered,
    "builtins.next": next_item,
    "builtins.zip": zipped,
    "itertools.chain": chained,
}
