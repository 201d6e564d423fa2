"""Averages of models: copies that stay where they were made, or go where they are told to."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.event import Combine, Operand
from devlint.facts.effect import Model
from devlint.facts.library import Averages
from devlint.interpret.core import module_state
from devlint.interpret.core.call import Arguments
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import factories
from devlint.lower import ir
from devlint.models.ignite import leaves_inputs
from devlint.queries.name_conventions import written
from devlint.values.instance import Instance
from devlint.values.tags import Tag
from devlint.values.value import NONE, Kind, Origin, Value


@dataclass(frozen=True, slots=True)
class Average(Tag):
    """Of a module that averages another. `is_placed`: it brings that one's state to its device."""

    is_placed: bool


def made(machine: Run, fact: Averages, node: ir.Call, name: str, arguments: Arguments) -> Value:
    model, given = arguments.get(0, "model"), arguments.get(fact.position, "device")
    is_placed = given is not None and given.value != NONE and given.value.payload != ""
    if model is None or arguments.is_open or not leaves_inputs(machine, model.value):
        return machine.make(node, Instance())
    device, _ = module_state.module_device(machine, model.value)
    if is_placed:
        assert given is not None
        place = factories.placed(node, Arguments(keywords={"device": given}))
        device = place[0] if place is not None else device
    origin = Origin(node, f"a copy of the model is made on {device.told} here", machine.frame.path)
    instance = Instance(Model(""), holds_state=True, device=device, origin=origin)
    average = machine.make(node, instance, Kind.MODULE)
    machine.store(average.ref, instance.holding(fact.inner, average))
    return average.tagged(Average(is_placed))


def is_average(value: Value) -> bool:
    return value.tag(Average) is not None


def updated(machine: Run, node: ir.Call, receiver: Value, arguments: Arguments) -> None:
    """`average.update(model)` computes with both, as they are."""
    average = receiver.tag(Average)
    if average is None or average.is_placed:
        return
    model = arguments.get(0, "model")
    if model is None or not module_state.is_module(machine, model.value):
        return
    assert isinstance(node.func, ir.Attribute)
    pairs = ((node.func.value, receiver), (model.node, model.value))
    machine.emit(Combine(node, "update", tuple(operand(machine, *pair) for pair in pairs)))


def operand(machine: Run, node: ir.Expression, value: Value) -> Operand:
    device, origin = module_state.module_device(machine, value)
    state = Value(Kind.MODULE, device, False, ref=value.ref, origin=origin)
    return Operand(node, written(node), state)
