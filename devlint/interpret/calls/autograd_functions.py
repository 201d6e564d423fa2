"""Functions that have their own derivatives: classes in view that derive from
`torch.autograd.Function`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from devlint.event import Combine, Event
from devlint.facts.dimensions import Rank
from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import container, items_of, numbered
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.tensors import operations
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.values.instance import Instance
from devlint.values.payload import Payload
from devlint.values.value import NOTHING, Kind, Value


@dataclass(frozen=True, slots=True)
class Context(Payload):
    """Of what `forward` keeps things in for `backward`."""


def applied(machine: Run, owner: ClassInfo, call: Call) -> Value:
    """`apply` calls `forward`, and what keeps things for `backward` if that is a method of its own;
    `backward`, too, as if the backward pass came at once."""
    forward, setup = owner.method("forward"), owner.method("setup_context")
    if forward is None:
        return NOTHING
    made = replace(machine.make(call.node, Instance()), kind=Kind.OBJECT, payload=Context())
    context, arguments = Argument(call.node, made), call.arguments
    if setup is None:
        given = replace(arguments, positional=(context, *arguments.positional))
        value = invoke(machine, forward, given, call.node)
    else:
        value = invoke(machine, forward, arguments, call.node)
        inputs = container(machine, call.node.func, numbered(each.value for each in arguments))
        kept = (context, *(Argument(call.node, each) for each in (inputs, value)))
        invoke(machine, setup, Arguments(kept), call.node)
    differentiate(machine, owner, context, value, call)
    return value


def differentiate(
    machine: Run, owner: ClassInfo, context: Argument, value: Value, call: Call
) -> None:
    """Call `backward` with a gradient for each output, which is where that is."""
    backward = owner.method("backward")
    outputs = items_of(machine, value) if value.kind is Kind.CONTAINER else [value]
    if backward is not None and all(each.device.is_known for each in outputs):
        gradients = [operations.follow(each, each.dimensions) for each in outputs]
        given = (context, *(Argument(call.node, each) for each in gradients))
        events = len(machine.events)
        found = invoke(machine, backward, Arguments(given), call.node)
        if any(map(raises, machine.events[events:])):
            return
        results = items_of(machine, found) if found.kind is Kind.CONTAINER else [found]
        nodes = returned(backward.node, len(results))
        for argument, node, gradient in zip(
            call.arguments.positional, nodes, results, strict=False
        ):
            meet(machine, argument, Argument(node, gradient))


def raises(event: Event) -> bool:
    """Whether a function gets no further than to an operation."""
    pairs = combinations(event.operands, 2) if isinstance(event, Combine) else ()
    return any(not one.may_meet(other) for one, other in pairs)


def returned(function: ir.Node, count: int) -> Sequence[ir.Expression]:
    """The expressions for what a function returns last, one by one where they are written so."""
    given = [each.value for each in walk(function) if isinstance(each, ir.Return) and each.value]
    last = given[-1] if given else None
    if isinstance(last, ir.Display) and len(last.items) == count:
        return last.items
    return [] if last is None else [last] * count


def meet(machine: Run, argument: Argument, gradient: Argument) -> None:
    """The gradient of an argument has to be where that is."""
    if gradient.value.kind is Kind.TENSOR and operations.is_tensor(argument.value):
        pairs = ((each.node, each.value) for each in (argument, gradient))
        met = [operations.operand(pair, may_be_scalar=False) for pair in pairs]
        operations.combined(machine, gradient.node, "the gradient", met, Rank.SAME)


def of_context(machine: Run, call: Call) -> Value:
    """`ctx.save_for_backward(..)`; what else there is marks tensors."""
    if call.name == "save_for_backward":
        saved = container(machine, call.node, numbered(each.value for each in call.arguments))
        ref = call.receiver.ref
        machine.store(ref, machine.instance(ref).holding("saved_tensors", saved))
    return NOTHING
