"""Functions that are handed to functions, which call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from devlint.facts.callers import Calls, Given, Gives, Transforms
from devlint.facts.signature import signature
from devlint.interpret.core.arguments import named_items
from devlint.interpret.core.call import NO_ARGUMENTS, Argument, Arguments, Call
from devlint.interpret.core.containers import container, element, numbered, sequence
from devlint.interpret.core.interpreter import Run
from devlint.interpret.objects.container_methods import inner
from devlint.lower import ir
from devlint.values.dimensions import UNRANKED
from devlint.values.instance import ItemKey
from devlint.values.payload import Payload
from devlint.values.value import NOTHING, Kind, Value

#: How deep a tree of containers is gone through.
DEPTH = 4


@dataclass(frozen=True, slots=True, eq=False)
class Partial(Payload):
    """`functools.partial(function, ..)`."""

    function: Value
    given: Arguments = NO_ARGUMENTS

    def completed(self, arguments: Arguments) -> Arguments:
        return Arguments(
            self.given.positional + arguments.positional,
            {**self.given.keywords, **arguments.keywords},
            self.given.rest + arguments.rest,
            self.given.is_open or arguments.is_open,
            self.given.mapped + arguments.mapped,
        )

    def result(self, value: Value, arguments: Arguments) -> Value:
        """What comes of what the function has given."""
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Transformed(Partial):
    """What `vmap` or `grad` gives of a function."""

    is_batched: bool = False

    def completed(self, arguments: Arguments) -> Arguments:
        if not self.is_batched:
            return arguments
        given = (replace(each, value=without_batch(each.value)) for each in arguments.positional)
        return replace(arguments, positional=tuple(given))

    def result(self, value: Value, arguments: Arguments) -> Value:
        if self.is_batched or not arguments.positional:
            return replace(value, dimensions=UNRANKED, payload=None)
        first = arguments.positional[0].value
        return Value(first.kind, first.device, origin=first.origin)


def without_batch(value: Value) -> Value:
    """One of those that a tensor stands for, which is of as many dimensions less one."""
    if value.kind is not Kind.TENSOR:
        return value
    return replace(value, dimensions=value.dimensions.changed(-1), payload=None, tags=())


def partial(machine: Run, node: ir.Call, arguments: Arguments) -> Value:
    if not arguments.positional:
        return NOTHING
    function, *given = arguments.positional
    rest = replace(arguments, positional=tuple(given))
    return Value(Kind.FUNCTION, payload=Partial(function.value, rest))


def transforms(machine: Run, fact: Transforms, call: Call) -> Value:
    given = call.arguments.get(0, "func")
    if given is None:
        return NOTHING
    made = Transformed(given.value, is_batched=fact.is_batched)
    return Value(Kind.FUNCTION, payload=made)


def calls(machine: Run, fact: Calls, call: Call) -> Value:
    """The function is called, though it may be later, and elsewhere."""
    named = call.arguments.named(signature(fact.signature))
    function, source = named.get(fact.function), named.get(fact.source)
    if function is None:
        return NOTHING
    if fact.given is Given.LEAF:
        return NOTHING if source is None else mapped(machine, call.node, function.value, source)
    given = arguments_of(machine, fact, call, named)
    found = machine.apply(call.node, function.value, given)
    if fact.gives is Gives.RESULTS:
        return container(machine, call.node, numbered((), [found]))
    return found if fact.gives is Gives.RESULT else Value(ref=machine.key(call.node))


def arguments_of(machine: Run, fact: Calls, call: Call, named: Mapping[str, Argument]) -> Arguments:
    """What the function is called with."""
    source, rest = named.get(fact.source), rest_of(fact, call.arguments)
    if fact.given is Given.REST:
        return rest
    if fact.given is Given.EACH:
        items = [replace(e, value=element(machine, e.value, e.node)) for e in rest.positional]
        return Arguments(tuple(items), is_open=rest.is_open)
    if source is None:
        return NO_ARGUMENTS
    if fact.given is Given.ONE:
        return replace(several(machine, source), keywords=keywords_of(machine, named))
    item = replace(source, value=element(machine, source.value, source.node))
    if fact.given is Given.ITEM:
        return several(machine, item)
    known = [replace(source, value=e) for e in sequence(machine, source.value) or ()]
    first, second, *_ = *filter(None, [named.get("initial")]), *known, item, item
    return Arguments((first, second))


def rest_of(fact: Calls, arguments: Arguments) -> Arguments:
    """The arguments that have no parameter of their own."""
    listed = signature(fact.signature)
    positional = (
        given
        for index, given in enumerate(arguments.positional)
        if (parameter := listed.positional(index)) is None or parameter.is_sequence
    )
    keywords = {k: v for k, v in arguments.keywords.items() if listed.keyword(k) is None}
    return replace(arguments, positional=tuple(positional), keywords=keywords)


def several(machine: Run, given: Argument) -> Arguments:
    """The items of a tuple or list as arguments, anything else as one."""
    if given.value.kind is not Kind.CONTAINER:
        return Arguments((given,))
    known = sequence(machine, given.value)
    if known is None:
        rest = (replace(given, value=element(machine, given.value, given.node)),)
        return Arguments(rest=rest, is_open=True)
    return Arguments(tuple(replace(given, value=each) for each in known))


def keywords_of(machine: Run, named: Mapping[str, Argument]) -> dict[str, Argument]:
    """Those that a function is given as a dict."""
    given = named.get("kwargs", named.get("kwds"))
    items = None if given is None else named_items(machine, given.value)
    return {} if given is None else {k: replace(given, value=v) for k, v in (items or {}).items()}


def mapped(machine: Run, node: ir.Call, function: Value, tree: Argument) -> Value:
    """A tree like another one, of what a function gives for each of its leaves."""

    def grown(value: Value, path: Sequence[ItemKey]) -> Value:
        items = machine.instance(value.ref).items if value.kind is Kind.CONTAINER else {}
        if not items or len(path) == DEPTH:
            return machine.apply(node, function, Arguments((replace(tree, value=value),)))
        parts = {key: grown(item, (*path, key)) for key, item in items.items()}
        return inner(machine, node, tuple(path), parts)

    return grown(tree.value, ())


def asked(machine: Run, node: ir.Call, function: Argument | None, items: Value) -> None:
    """`sorted(xs, key=..)` calls a function with each item; one out of view hardly moves them."""
    if function is not None and function.value.kind is Kind.FUNCTION:
        each = Argument(function.node, element(machine, items, function.node))
        machine.apply(node, function.value, Arguments((each,)))
