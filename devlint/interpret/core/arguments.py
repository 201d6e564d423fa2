"""The arguments of a call, evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from devlint.facts.signature import Parameter, Signature
from devlint.interpret.core.containers import element
from devlint.interpret.core.interpreter import Machine
from devlint.lower import ir
from devlint.values.instance import ItemKey
from devlint.values.value import Kind, Value


@dataclass(frozen=True, slots=True)
class Argument:
    node: ir.Expression
    value: Value


@dataclass(frozen=True, slots=True)
class Arguments:
    """`rest` are the items of `*x`, `mapped` what `**x` spreads, where that is not known item by
    item; `is_open`: what is not named here may still be given."""

    positional: tuple[Argument, ...] = ()
    keywords: dict[str, Argument] = field(default_factory=dict)
    rest: tuple[Argument, ...] = ()
    is_open: bool = False
    mapped: tuple[Argument, ...] = ()

    def get(self, index: int | None, name: str) -> Argument | None:
        """The argument of a parameter at a position (None: keyword only)."""
        if name in self.keywords:
            return self.keywords[name]
        if index is not None and index < len(self.positional):
            return self.positional[index]
        return None

    def bound(self, listed: Signature) -> list[tuple[Parameter, Argument]]:
        """The arguments that a signature lists, with the parameters that take them."""
        return [(parameter, a) for parameter, a in self.paired(listed) if parameter is not None]

    def paired(self, listed: Signature) -> list[tuple[Parameter | None, Argument]]:
        """The arguments with the parameters that take them, as far as a signature lists them."""
        pairs = [(listed.positional(i), a) for i, a in enumerate(self.positional)]
        return pairs + [(listed.keyword(name), a) for name, a in self.keywords.items()]

    def named(self, listed: Signature) -> dict[str, Argument]:
        """The arguments that have a name, by a signature or where they are given."""
        return {parameter.name: a for parameter, a in self.bound(listed)} | dict(self.keywords)

    def __iter__(self) -> Iterator[Argument]:
        yield from self.positional
        yield from self.rest
        yield from self.keywords.values()


def evaluated(machine: Machine, call: ir.Call) -> Arguments:
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
            rest.append(Argument(node, element(machine, spread, node)))
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


def counted(machine: Machine, value: Value) -> list[Value] | None:
    """The items of a container all of which are known, in order."""
    items = machine.instance(value.ref).items
    if value.kind is not Kind.CONTAINER or not items:
        return None
    keys = [ItemKey(index) for index in range(len(items))]
    return [items[key] for key in keys] if all(key in items for key in keys) else None


def named_items(machine: Machine, value: Value) -> dict[str, Value] | None:
    """The items of a dict all of whose keys are known strings."""
    items = machine.instance(value.ref).items
    if value.kind is not Kind.CONTAINER or not items:
        return None
    named = {key.at: item for key, item in items.items() if isinstance(key.at, str)}
    return named if len(named) == len(items) else None
