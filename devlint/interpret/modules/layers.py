"""PyTorch's layers and containers, and the classes in view that derive from one of them."""

from __future__ import annotations

from dataclasses import replace

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Container, Layer
from devlint.interpret.core import module_state
from devlint.interpret.core.attachments import holds_itself
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.modules import module_calls
from devlint.interpret.tensors import losses, operations
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.values.dimensions import ARRAY, UNRANKED, of
from devlint.values.tags import Apart
from devlint.values.value import Kind, Value


def is_chain(machine: Run, callee: Value) -> bool:
    """Whether a module hands on what it is given from part to part, of which some are no layers of
    PyTorch: a class in view, an activation that is given."""
    types = [machine.instance(part.ref).type for part in items_of(machine, callee)]
    is_mixed = any(not isinstance(each, Layer | Container) for each in types)
    return is_mixed and not holds_itself(machine, callee)


def output(
    machine: Run, node: ir.Call, callee: Value, type_: Layer | Container, arguments: Arguments
) -> Value:
    """A layer gives what its parameters and input agree on: an input on the CPU decides."""
    device, origin = module_state.module_device(machine, callee)
    holds_state = isinstance(type_, Container) or type_.holds_state
    given = next(iter(arguments), None)
    if holds_state and not is_chain(machine, callee):
        machine.tensors.update(a.value.ref for a in arguments if a.value.kind is Kind.UNKNOWN)
    if (not holds_state or not device.is_known) and given is not None:
        device, origin = given.value.device, given.value.origin
    if holds_state and device.is_known:
        state = Value(Kind.TENSOR, device, ARRAY, origin=origin)
        module_calls.meet_state(machine, node, state, arguments)
        if given is not None and device.is_like and given.value.device.is_cpu:
            device, origin = given.value.device, given.value.origin
    if given is not None and operations.has_raised([given.value]):
        return Value(Kind.TENSOR, tags=(Apart(),))
    if meets_inputs(type_) and len(arguments.positional) > 1:
        return of_inputs(machine, node, callee, arguments)
    if isinstance(type_, Layer) and type_.several:
        return Value(Kind.CONTAINER, device, of(type_.several, None), origin=origin)
    dimensions = module_calls.of_layer(machine, callee, type_, given)
    return Value(Kind.TENSOR, device, dimensions, origin=origin)


def meets_inputs(type_: Layer | Container) -> bool:
    """Whether it has no parameters, and brings its inputs together, if there are several."""
    return isinstance(type_, Layer) and not type_.holds_state and not type_.moves_targets


def of_inputs(machine: Run, node: ir.Call, callee: Value, arguments: Arguments) -> Value:
    """What a loss gives, or a distance, of all of its inputs."""
    type_ = machine.instance(callee.ref).type
    is_loss = isinstance(type_, Layer) and type_.is_loss
    met = [operations.operand((a.node, a.value), False) for a in arguments.positional]
    known = [operand for operand in met if operations.is_tensor(operand.value)]
    known += losses.weights(machine, node, callee)
    operation = "the loss" if is_loss else written(node.func)
    value = operations.combined(machine, node, operation, known, Rank.UNKNOWN)
    dimensions = losses.given(machine, callee) if is_loss else UNRANKED
    return replace(value, kind=Kind.TENSOR, dimensions=dimensions)
