"""What the steps of a program cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from devlint.analyses.loop_places import LoopPlaces
from devlint.event import DoubleTransfer, Operand, Read, Steps, Transfer
from devlint.facts.arrays import makes_doubles
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import (
    Applying,
    Called,
    Calling,
    Converted,
    Created,
    Ended,
    Transferring,
)
from devlint.lower import ir
from devlint.lower.walk import by_type, walk
from devlint.queries.dotted_names import is_path
from devlint.queries.loop_context import Place, stored
from devlint.queries.name_conventions import written
from devlint.rule.analysis import Analysis, on
from devlint.values.source import Batch, Factory
from devlint.values.tags import Tag
from devlint.values.value import Kind, Value

#: Functions that keep the precision of the NumPy data they are given.
KEEPS_PRECISION = frozenset({"torch.from_numpy", "torch.tensor", "torch.as_tensor"})
#: Methods that read a tensor on the CPU.
READING_METHODS = frozenset({"item", "tolist", "cpu", "numpy"})
#: Functions that read a tensor as a number, or write it out.
READERS = frozenset(f"builtins.{name}" for name in ("float", "int", "bool", "print"))


@dataclass(frozen=True, slots=True, eq=False)
class Double(Tag):
    """Of a value that holds float64 data, made by a call of NumPy."""

    call: ir.Call


class StepCosts(Analysis[Run]):
    """Hears of moves, reads and `backward` calls, and emits what they cost."""

    needs = (LoopPlaces,)

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.places = run.analysis(LoopPlaces)
        self.may_pin = "pin_memory" in run.module.words
        #: What waits in each round of a loop, and where in that.
        self.reads: dict[ir.Node, tuple[Place, Read]] = {}
        #: The loops that train, and a `backward` call of each.
        self.backwards: dict[ir.For | ir.While, ir.Call] = {}

    @cached_property
    def makes_loaders(self) -> bool:
        calls = by_type(self.run.module)[ir.Call]
        return any(written(node.func).endswith("DataLoader") for node in calls)

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        node, value, device = signal.call.node, signal.value, signal.device
        if not isinstance(node.func, ir.Attribute) or not value.device.is_cpu:
            return
        if not device.is_known or device.is_cpu:
            return
        double = value.tag(Double)
        if double is not None and not converts(node):
            self.run.emit(DoubleTransfer(node, double.call))
        tensor = Operand(node.func.value, written(node.func.value), value)
        self.run.emit(
            Transfer(
                node,
                tensor,
                is_async=is_async(node),
                is_pageable=self.is_pageable(value),
                loop=self.constant_loop(node, tensor),
            )
        )

    @on(Converted)
    def convert(self, signal: Converted) -> Value:
        return signal.value.untagged(Double)

    @on(Called)
    def call(self, signal: Called) -> Value | None:
        """A function of NumPy may give float64."""
        node, is_imported = signal.call.node, signal.callee.kind is Kind.IMPORTED
        if not is_imported or not makes_doubles(signal.call.name, node):
            return None
        return signal.value.tagged(Double(node))

    @on(Created)
    def create(self, signal: Created) -> Value | None:
        """A factory may keep the precision of the data that it is given."""
        node, given, value = signal.call.node, signal.call.arguments.positional, signal.value
        double = given[0].value.tag(Double) if given else None
        if double is None or signal.call.name not in KEEPS_PRECISION or converts(node):
            return None
        if value.device.is_known and not value.device.is_cpu:
            self.run.emit(DoubleTransfer(node, double.call))
        return value.tagged(double)

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        if signal.call.name in READERS:
            for argument in signal.call.arguments.positional:
                self.read(signal.call.node, argument.value)

    @on(Calling)
    def use(self, signal: Calling) -> None:
        """A method is called that reads its receiver, or computes its gradients."""
        call = signal.call
        if not call.is_method or not isinstance(call.node.func, ir.Attribute):
            return
        if call.name in READING_METHODS:
            self.read(call.node, call.receiver)
        elif call.name == "backward":
            loop = self.places.here(call.node).loop
            if loop is not None:
                self.backwards.setdefault(loop, call.node)

    def is_pageable(self, value: Value) -> bool:
        """Whether it is known not to be pinned: a file says so of the loaders that it makes."""
        source = value.source
        is_given = isinstance(source, Batch) and self.makes_loaders
        return (isinstance(source, Factory) or is_given) and not self.may_pin

    def constant_loop(self, node: ir.Call, tensor: Operand) -> ir.For | ir.While | None:
        """The loop all of whose rounds move the same value to the same place."""
        place = self.places.written(node)
        if place.loop is None or place.is_conditional:
            return None
        if tensor.value.kind is not Kind.TENSOR or not is_path(tensor.node):
            return None
        names = {written(each) for each in walk(node) if isinstance(each, (ir.Name, ir.Attribute))}
        if not names.isdisjoint(stored(place.loop)) or changes(place.loop, tensor.name):
            return None
        is_single = isinstance(place.loop.body[-1], (ir.Break, ir.Return, ir.Raise))
        return None if is_single else place.loop

    def read(self, node: ir.Call, value: Value) -> None:
        place = self.places.here(node)
        if value.device.is_accelerator and place.loop is not None and not place.is_conditional:
            self.reads[node] = (place, Read(node, written(node)))

    @on(Ended)
    def end(self, signal: Ended) -> None:
        """Tell of each loop with a `backward` call."""
        for loop, backward in self.backwards.items():
            self.run.emit(Steps(loop, backward, self.waits(loop)))

    def waits(self, loop: ir.Node) -> tuple[Read, ...]:
        """The first read of each statement: where it has ended, little is left to wait for."""
        first: dict[ir.Node | None, Read] = {}
        for place, read in self.reads.values():
            if place.loop is loop:
                first.setdefault(place.statement, read)
        return tuple(first.values())


def is_async(node: ir.Call) -> bool:
    given = dict(node.keywords).get("non_blocking")
    return isinstance(given, ir.Constant) and given.value is True


def converts(node: ir.Call) -> bool:
    """Whether a call may name a dtype: any second argument is taken for one."""
    return len(node.args) > 1 or "dtype" in dict(node.keywords) or None in dict(node.keywords)


def changes(loop: ir.For | ir.While, text: str) -> bool:
    """Whether a loop changes a tensor in place."""
    return any(
        isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attribute)
        and node.func.name.endswith("_")
        and written(node.func.value) == text
        for node in walk(loop)
    )
