"""Functions that have their own derivatives: classes in view that derive from
`torch.autograd.Function`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core.call import Argument, Arguments, Call
from devlint.interpret.core.containers import container, items_of, numbered
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.interpret.tensors import operations
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
        invoke(machine, backward, Arguments(given), call.node)


def of_context(machine: Run, call: Call) -> Value:
    """`ctx.save_for_backward(..)`; what else there is marks tensors."""
    if call.name == "save_for_backward":
        saved = container(machine, call.node, numbered(each.value for each in call.arguments))
        ref = call.receiver.ref
        machine.store(ref, machine.instance(ref).holding("saved_tensors", saved))
    return NOTHING
