"""Averages of models: copies that stay where they were made, or go where they are told to."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.event import Combine, Operand
from devlint.facts.effect import Fact, Model
from devlint.interpret.core import module_state
from devlint.interpret.core.call import Arguments, Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import Calling
from devlint.interpret.tensors import factories
from devlint.lower import ir
from devlint.models.ignite import leaves_inputs
from devlint.queries.name_conventions import written
from devlint.rule.analysis import Analysis, on
from devlint.values.dimensions import ARRAY
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.tags import Tag
from devlint.values.value import Kind, Value


@dataclass(frozen=True, slots=True)
class Averages(Fact):
    """A module that averages another: a copy of it, on `device=` or where the other was by then.

    `position`: of that argument. `inner`: the attribute that is the copy. Without a device its
    `update(model)` computes with both.
    """

    inner: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Average(Tag):
    """Of a module that averages another. `is_placed`: it brings that one's state to its device."""

    is_placed: bool


def made(machine: Run, fact: Averages, call: Call) -> Value:
    node, arguments = call.node, call.arguments
    model, given = arguments.get(0, "model"), arguments.get(fact.position, "device")
    is_placed = given is not None and not given.value.is_none and given.value.payload != ""
    if model is None or arguments.is_open or not leaves_inputs(machine, model.value):
        return machine.make(node, Instance())
    device, _ = module_state.module_device(machine, model.value)
    if is_placed:
        assert given is not None
        place = factories.placed(machine, node, Arguments(keywords={"device": given}))
        device = place[0] if place is not None else device
    origin = Origin(node, f"a copy of the model is made on {device.told} here", machine.frame.path)
    instance = Instance(
        Model("", reads=("update",)), holds_state=True, device=device, origin=origin
    )
    average = machine.make(node, instance, Kind.MODULE)
    machine.store(average.ref, instance.holding(fact.inner, average))
    return average.tagged(Average(is_placed))


class ModelAverages(Analysis[Run]):
    """`average.update(model)` computes with both, as they are."""

    @on(Calling)
    def call(self, signal: Calling) -> None:
        call, whole = signal.call, signal.call.receiver
        average = whole.tag(Average) if call.name == "update" else None
        if average is None or average.is_placed:
            return
        model = call.arguments.get(0, "model")
        if model is None or not module_state.is_module(self.run, model.value):
            return
        assert isinstance(call.node.func, ir.Attribute)
        pairs = ((call.node.func.value, whole), (model.node, model.value))
        operands = tuple(operand(self.run, *pair) for pair in pairs)
        self.run.emit(Combine(call.node, "update", operands))


def operand(machine: Run, node: ir.Expression, value: Value) -> Operand:
    device, origin = module_state.module_device(machine, value)
    state = Value(Kind.MODULE, device, ARRAY, ref=value.ref, origin=origin)
    return Operand(node, written(node), state)
