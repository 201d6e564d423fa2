"""The facts of PyTorch applied to a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from devlint.facts import effect
from devlint.facts.callers import Calls, Transforms
from devlint.facts.dimensions import Rank
from devlint.facts.indexing import Indexes, Selects
from devlint.facts.signature import signature
from devlint.interpret.core import module_state
from devlint.interpret.core.call import Arguments, Call
from devlint.interpret.core.containers import container, numbered
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import Applying, Communicated, Created, Drawn, Followed
from devlint.interpret.objects import (
    builtins,
    callers,
    loaders,
    optimizers,
    plain_attributes,
    saved_files,
)
from devlint.interpret.objects.state_snapshots import clone
from devlint.interpret.tensors import (
    device_numbers,
    dimensions,
    exports,
    factories,
    losses,
    operations,
    transfers,
)
from devlint.interpret.tensors.operands import operands, spread
from devlint.lower import ir
from devlint.values.device import ON_CPU
from devlint.values.dimensions import ARRAY, SCALAR, UNRANKED, broadcast
from devlint.values.instance import ANY, Instance, ItemKey
from devlint.values.origin import Origin
from devlint.values.tags import Apart
from devlint.values.value import NONE, NOTHING, PARAMETER, Kind, Value

#: What asks of something of which type it is.
TYPE_TESTS = frozenset({"builtins.isinstance", "builtins.issubclass", "torch.is_tensor"})


def apply(machine: Run, fact: effect.Fact, call: Call) -> Value:
    """What a call of a known function gives; a method's receiver is its first argument."""
    machine.publish(Applying(call, fact))
    kind = fact.__class__
    apply = EFFECTS.get(kind) or machine.libraries.handlers[kind]
    return apply(machine, fact, call)


def meets(machine: Run, fact: effect.Pointwise | effect.Agrees, call: Call) -> Value:
    is_pointwise = isinstance(fact, effect.Pointwise)
    met = operands(machine, fact, call.arguments, is_pointwise=is_pointwise)
    if (
        isinstance(fact, effect.Agrees)
        and fact.expands
        and all(each.value.is_scalar for each in met)
    ):
        met = operands(machine, fact, call.arguments, is_pointwise=True)
    if operations.has_raised(each.value for each in call.arguments):
        return Value(Kind.TENSOR, tags=(Apart(),))
    if not met:
        return Value(Kind.TENSOR, dimensions=dimensions.of_operands(fact.rank, [UNRANKED]))
    if not any(each.is_sequence for each in signature(fact.signature).parameters):
        met = [replace(each, value=operations.filled(each.value)) for each in met]
    result = operations.combined(machine, call.node, call.name, met, fact.rank)
    if fact.rank is Rank.LOSS:
        result = replace(result, dimensions=losses.reduced(fact, call.arguments))
    elif fact.rank is Rank.EQUATION:
        result = replace(result, dimensions=dimensions.of_equation(call.arguments))
    return met[0].value if fact.in_place else replace(result, kind=Kind.TENSOR)


def follows(machine: Run, fact: effect.Follows, call: Call) -> Value:
    arguments = call.arguments
    sources = operands(machine, fact, arguments, is_pointwise=True)
    if not sources:
        unknown = dimensions.followed(machine, fact, arguments, UNRANKED)
        return Value(Kind.TENSOR, dimensions=unknown)
    if any(arguments.get(None, each) is not None for each in fact.several):
        return many(machine, effect.Many(fact.signature, fact.rank), call)
    before = sources[0].value
    left = dimensions.followed(machine, fact, arguments, before.dimensions)
    followed = operations.follow(before, left)
    if is_of_tensors(call):
        followed = replace(followed, kind=Kind.TENSOR)
    value = machine.revise(Followed(followed, call, before))
    if fact.in_place:
        value = before
    if fact.as_needed and before.payload == PARAMETER:
        value = replace(value, payload=PARAMETER)
    value = clone(call.node, call.name, value)
    return machine.revise(Drawn(value, call)) if fact.samples else value


def selects(machine: Run, fact: Selects, call: Call) -> Value:
    arguments = call.arguments
    if arguments.is_open or len(list(arguments)) != 1:
        return meets(machine, fact, call)
    return many(machine, effect.Many(fact.signature, Rank.ARRAY), call)


def indexes(machine: Run, fact: Indexes, call: Call) -> Value:
    is_apart = call.arguments.get(1, "as_tuple")
    if is_apart is None or is_apart.value.payload is not True:
        return follows(machine, fact, call)
    return many(machine, effect.Many(fact.signature, Rank.ARRAY), call)


def is_of_tensors(call: Call) -> bool:
    """Whether only tensors have what is called: a function of PyTorch, a method of a tensor."""
    first = next(iter(call.arguments), None)
    is_method = first is not None and first.value.kind is Kind.TENSOR
    return is_method or call.name.startswith("torch.")


def compares(machine: Run, fact: effect.Compares, call: Call) -> Value:
    met = operands(machine, fact, call.arguments, is_pointwise=False)
    operations.combined(machine, call.node, call.name, met, Rank.UNKNOWN)
    return Value(Kind.NUMBER)


def many(machine: Run, fact: effect.Many, call: Call) -> Value:
    met = operands(machine, fact, call.arguments, is_pointwise=False)
    result = operations.combined(machine, call.node, call.name, met, fact.rank) if met else NOTHING
    if fact.rank is Rank.REDUCED and met:
        left = dimensions.reduced(machine, fact, call.arguments, met[0].value.dimensions)
        result = replace(result, dimensions=left)
    if fact.on_cpu:
        origin = Origin(call.node, f"given by `{call.name}` here, on the CPU", machine.frame.path)
        item = Value(Kind.TENSOR, ON_CPU, ARRAY, origin=origin)
        either = dict.fromkeys(map(ItemKey, fact.on_cpu), item)
        return container(machine, call.node, {ItemKey(0): result, **either})
    return Value(Kind.CONTAINER, result.device, result.dimensions, origin=result.origin)


def picks(machine: Run, fact: effect.Picks, call: Call) -> Value:
    arguments = call.arguments
    met = operands(machine, fact, arguments, is_pointwise=True)
    if len(met) > 1:
        return operations.combined(machine, call.node, call.name, met, Rank.SAME)
    if not met:
        return NOTHING
    before = met[0].value
    if len(arguments.positional) > 1 or arguments.keywords:
        left = dimensions.reduced(machine, fact, arguments, before.dimensions)
        return Value(Kind.CONTAINER, before.device, left, origin=before.origin)
    followed = operations.follow(before, SCALAR)
    return machine.revise(Followed(followed, call, before))


def differentiates(machine: Run, fact: effect.Differentiates, call: Call) -> Value:
    """A gradient has the shape of its output: where that is not 0-dim, neither is the output. What
    `grad` gives is where its inputs are."""
    node, arguments = call.node, call.arguments
    bound = arguments.bound(signature(fact.signature))
    given = [spread(machine, to, each) for to, each in bound if to.is_operand]
    met = operands(machine, fact, arguments, is_pointwise=False)
    are_pair = [len(pairs) for pairs in given] == [1, 1] and len(met) == 2
    if are_pair and any(each.value.is_scalar is False for each in met):
        operations.combined(machine, node, call.name, met, Rank.UNKNOWN)
    inputs = arguments.get(1, "inputs")
    if call.is_method or inputs is None:
        return NONE
    whole = inputs.value
    items = machine.instance(whole.ref).items if whole.kind is Kind.CONTAINER else {}
    found = {key: operations.follow(each, each.dimensions) for key, each in items.items()}
    first = {ItemKey(0): operations.follow(whole, whole.dimensions)}
    return container(machine, node, found or first)


def given_items(arguments: Arguments) -> dict[ItemKey, Value]:
    """The arguments by their places, as a list of them has them; each of several that may be
    anywhere by its own."""
    items = numbered(each.value for each in arguments.positional)
    rest = enumerate(arguments.rest)
    is_one = len(arguments.rest) == 1
    return items | {ANY if is_one else ItemKey((e.node, n)): e.value for n, e in rest}


def expands(machine: Run, fact: effect.Expands, call: Call) -> Value:
    """Nothing meets here, and nothing is copied; if one is no 0-dim tensor, none of them is."""
    items = given_items(call.arguments)
    whole = broadcast(each.dimensions for each in items.values())
    shaped = {key: replace(each, dimensions=whole) for key, each in items.items()}
    return container(machine, call.node, shaped)


def moves_first(machine: Run, fact: effect.Moves, call: Call) -> Value:
    """`torch.Tensor.cpu(x)`: the receiver is given by position."""
    arguments = call.arguments
    if not arguments.positional:
        return NOTHING
    rest = replace(arguments, positional=arguments.positional[1:])
    return transfers.moved(machine, call.node, fact, arguments.positional[0].value, rest)


def contains(machine: Run, fact: effect.Container, call: Call) -> Value:
    """A container of modules holds its arguments, or the items of the one that is a list."""
    arguments = call.arguments
    items = given_items(arguments)
    if len(arguments.positional) == 1 and arguments.positional[0].value.kind is Kind.CONTAINER:
        items = dict(machine.instance(arguments.positional[0].value.ref).items)
    items = {key: plain_attributes.as_item(value) for key, value in items.items()}
    return machine.make(call.node, Instance(fact, items=items), Kind.MODULE)


def communicates(machine: Run, fact: effect.Communicates, call: Call) -> Value:
    handed = operands(machine, fact, call.arguments, is_pointwise=False)
    machine.publish(Communicated(call, handed))
    return NOTHING


def wraps(machine: Run, fact: effect.Wraps, call: Call) -> Value:
    arguments = call.arguments
    given = next(iter(arguments), None)
    if given is None:
        return NOTHING
    is_parameter = call.name.rpartition(".")[2] in ("Parameter", "Buffer")
    if is_parameter:
        return module_state.parameter(given.value)
    if not fact.places:
        return machine.revise(Created(given.value, call))
    if fact.needs is None or arguments.is_open or is_given(fact, fact.needs, arguments):
        return module_state.placed(machine, given.value)
    return given.value


def is_given(fact: effect.Wraps, name: str, arguments: Arguments) -> bool:
    """Whether an argument is anything but None or an empty list, as far as that is known."""
    given = arguments.named(signature(fact.signature)).get(name)
    if given is None or given.value.is_none:
        return False
    return not (isinstance(given.node, ir.Display) and not given.node.items)


def opaque(machine: Run, fact: effect.Opaque, call: Call) -> Value:
    if fact.kind == optimizers.OPTIMIZER:
        return optimizers.built(machine, fact, call)
    if fact.kind in ("dataset", "split"):
        return loaders.data_set(machine, fact, call)
    return Value(Kind.OBJECT, payload=fact.kind)


def pins(machine: Run, fact: effect.Pins, call: Call) -> Value:
    """What is pinned stays on the CPU, but is a copy."""
    return next((replace(each.value) for each in call.arguments), NOTHING)


def inert(machine: Run, fact: effect.Inert, call: Call) -> Value:
    function = builtins.FUNCTIONS.get(call.name)
    if function is not None:
        return function(machine, call.node, call.arguments)
    is_test = call.name in TYPE_TESTS or call.name.endswith(".is_available")
    return Value(Kind.CONDITION) if is_test else Value(ref=machine.key(call.node))


EFFECTS: dict[type, Callable[[Run, Any, Call], Value]] = {
    effect.Makes: factories.makes,
    effect.MakesLike: factories.makes_like,
    effect.Pointwise: meets,
    Selects: selects,
    effect.Agrees: meets,
    effect.Follows: follows,
    Indexes: indexes,
    effect.Many: many,
    effect.Expands: expands,
    effect.Differentiates: differentiates,
    effect.Picks: picks,
    effect.Moves: moves_first,
    effect.Pins: pins,
    effect.Communicates: communicates,
    effect.Locates: device_numbers.locates,
    effect.Compares: compares,
    effect.Reads: lambda machine, fact, call: Value(Kind.NUMBER),
    effect.Exports: exports.exports,
    effect.MakesArray: exports.makes,
    effect.Layer: factories.layer,
    effect.Container: contains,
    effect.Wraps: wraps,
    effect.MakesGenerator: factories.makes_generator,
    effect.Model: factories.model,
    effect.Opaque: opaque,
    effect.Transform: lambda machine, fact, call: loaders.transform(machine, fact, call.arguments),
    effect.NamesDevice: factories.names_device,
    effect.NamesType: lambda machine, fact, call: Value(Kind.IMPORTED, payload="torch.dtype"),
    effect.SetsDefault: factories.sets_default,
    effect.Saves: saved_files.saves,
    effect.Loads: saved_files.loads,
    effect.Inert: inert,
    Calls: callers.calls,
    Transforms: callers.transforms,
}
