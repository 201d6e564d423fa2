"""Losses: their weights, as functions and as modules, and how they are reduced."""

from __future__ import annotations

from dataclasses import replace

from devlint.event import Operand
from devlint.facts.effect import Fact, Layer
from devlint.facts.signature import Mark, Parameter, Signature, signature
from devlint.interpret.core import module_state
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import operations
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.values.dimensions import ARRAY, SCALAR, UNRANKED, Dimensions
from devlint.values.value import NOTHING, Kind, Value

#: What losses weigh classes or positive examples with.
WEIGHTS = frozenset({"weight", "pos_weight"})

#: Where a loss keeps what it gives.
REDUCED = "<reduced>"

#: What becomes of the losses of several examples.
REDUCTIONS = {"none": ARRAY, "mean": SCALAR, "sum": SCALAR}

#: What said how losses are reduced before `reduction` did.
LEGACY = frozenset({"size_average", "reduce"})


def role(listed: Signature, parameter: Parameter) -> str:
    """What the argument of a function is, if it is a loss and the argument no data."""
    is_weight = parameter.name in WEIGHTS and listed.keyword("target") is not None
    return parameter.name if is_weight else ""


def reduced(fact: Fact, arguments: Arguments) -> Dimensions:
    """What a loss has: none, as it is one number, unless it is told otherwise."""
    listed = signature(fact.signature)
    if arguments.is_open or len(arguments.positional) > len(listed.parameters):
        return UNRANKED
    named = arguments.named(listed)
    if (given := named.get("reduction")) is not None:
        return REDUCTIONS.get(str(given.value.payload), UNRANKED)
    return UNRANKED if LEGACY & named.keys() else SCALAR


def hold(run: Run, fact: Layer, loss: Value, arguments: Arguments) -> Value:
    """A loss holds the weights that it is given: they move with it."""
    given = Value(Kind.TENSOR, dimensions=reduced(fact, arguments))
    run.store(loss.ref, run.instance(loss.ref).holding(REDUCED, given))
    for parameter, argument in arguments.bound(signature(fact.signature)):
        if parameter.is_operand and operations.is_tensor(argument.value):
            held = module_state.parameter(argument.value)
            if parameter.mark is Mark.OPERAND:
                held = replace(held, dimensions=ARRAY)
            instance = run.instance(loss.ref).holding(parameter.name, held)
            run.store(loss.ref, instance)
    return loss


def given(run: Run, loss: Value) -> Dimensions:
    """What a call of a loss has."""
    return run.instance(loss.ref).attributes.get(REDUCED, NOTHING).dimensions


def weights(run: Run, node: ir.Call, loss: Value) -> list[Operand]:
    """The weights of a loss, as operands of its calls."""
    held = run.instance(loss.ref).attributes
    found = [(name, held[name]) for name in sorted(WEIGHTS) if name in held]
    return [
        Operand(node.func, f"{written(node.func)}.{name}", item, item.is_scalar is not False, name)
        for name, item in found
        if item.device.is_known and item.kind is Kind.TENSOR
    ]
