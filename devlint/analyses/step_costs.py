"""What the steps of a program cost."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.event import DoubleTransfer, History, Operand, Read, Steps, Transfer
from devlint.facts.arrays import makes_doubles
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.signals import (
    Applying,
    Augmented,
    Called,
    Calling,
    Converted,
    Created,
    Ended,
    Transferring,
)
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.loop_context import Place, places, stored, targets
from devlint.queries.name_conventions import written
from devlint.rule.analysis import Analysis, on
from devlint.values.source import Batch, Factory
from devlint.values.tags import Tag
from devlint.values.value import Kind, Value

#: Functions that keep the precision of the NumPy data they are given.
KEEPS_PRECISION = frozenset({"torch.from_numpy", "torch.tensor", "torch.as_tensor"})
#: What a loss is made of afterwards has no history.
CUTS = frozenset({"detach", "detach_", "data", "item"})
#: Methods that read a tensor on the CPU.
READING_METHODS = frozenset({"item", "tolist", "cpu", "numpy"})
#: Functions that read a tensor as a number, or write it out.
READERS = frozenset(f"builtins.{name}" for name in ("float", "int", "bool", "print"))


@dataclass(frozen=True, slots=True, eq=False)
class Double(Tag):
    """Of a value that holds float64 data, made by a call of NumPy."""

    call: ir.Call


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """`total` takes in `loss`, both as written."""

    total: str
    loss: str


class StepCosts(Analysis[Run]):
    """Hears of moves, reads, sums and `backward` calls, and emits what they cost."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.places = places(run.module)
        self.may_pin = "pin_memory" in run.module.words
        calls = [node.func for node in self.places if isinstance(node, ir.Call)]
        self.makes_loaders = any(written(func).endswith("DataLoader") for func in calls)
        self.reads: dict[ir.Node, Read] = {}
        self.sums: dict[ir.Node, Sum] = {}
        self.backwards: dict[ir.Call, str] = {}

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
        """A method is called that reads its receiver, keeps what it is given or computes its
        gradients."""
        call, func = signal.call, signal.call.node.func
        if not call.is_method or not isinstance(func, ir.Attribute):
            return
        if call.name in READING_METHODS:
            self.read(call.node, call.receiver)
        elif call.name == "append" and call.arguments.positional:
            given = call.arguments.positional[0]
            self.keep(call.node, func.value, given.node, given.value)
        elif call.name == "backward":
            self.backwards[call.node] = written(differentiated(call, func))

    @on(Augmented)
    def augment(self, signal: Augmented) -> None:
        node = signal.node
        self.keep(node, node.target, node.value, signal.value)

    def place(self, node: ir.Node) -> Place:
        return self.places.get(node, Place())

    def is_pageable(self, value: Value) -> bool:
        """Whether it is known not to be pinned: a file says so of the loaders that it makes."""
        source = value.source
        is_given = isinstance(source, Batch) and self.makes_loaders
        return (isinstance(source, Factory) or is_given) and not self.may_pin

    def constant_loop(self, node: ir.Call, tensor: Operand) -> ir.For | ir.While | None:
        """The loop all of whose rounds move the same value to the same place."""
        place = self.place(node)
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
        place = self.place(node)
        if value.device.is_accelerator and place.loop is not None and not place.is_conditional:
            self.reads[node] = Read(node, written(node))

    def keep(self, node: ir.Node, total: ir.Expression, loss: ir.Expression, value: Value) -> None:
        """A value is added to another, or put into a list."""
        place = self.place(node)
        if place.loop is None or not place.has_gradients or not value.device.may_accelerate:
            return
        if value.kind is Kind.TENSOR and is_path(loss):
            self.sums[node] = Sum(written(total), written(loss))

    @on(Ended)
    def end(self, signal: Ended) -> None:
        """Tell of each loop with a `backward` call."""
        seen: set[ir.Node] = set()
        for backward in self.backwards:
            loop = self.place(backward).loop
            if loop is not None and loop not in seen:
                seen.add(loop)
                self.run.emit(Steps(loop, backward, self.waits(loop)))
        for node, each in self.sums.items():
            found = self.backward_of(node, each)
            if found is not None:
                self.run.emit(History(node, each.loss, each.total, found))

    def waits(self, loop: ir.Node) -> tuple[Read, ...]:
        """The first read of each statement: where it has ended, little is left to wait for."""
        first: dict[ir.Node | None, Read] = {}
        for node, read in self.reads.items():
            if self.place(node).loop is loop:
                first.setdefault(self.place(node).statement, read)
        return tuple(first.values())

    def backward_of(self, node: ir.Node, each: Sum) -> ir.Call | None:
        """The call in the same loop that ends the history of a loss which a total keeps on."""
        place = self.place(node)
        assert place.loop is not None
        if each.total in self.backwards.values() or restarts(place.loop, each):
            return None
        calls = [call for call, loss in self.backwards.items() if loss == each.loss]
        return next((call for call in calls if self.place(call).loop is place.loop), None)


def differentiated(call: Call, func: ir.Attribute) -> ir.Expression:
    """`accelerator.backward(loss)` is given the loss that `loss.backward()` belongs to."""
    given = call.arguments.positional
    return given[0].node if given else func.value


def is_async(node: ir.Call) -> bool:
    given = dict(node.keywords).get("non_blocking")
    return isinstance(given, ir.Constant) and given.value is True


def converts(node: ir.Call) -> bool:
    """Whether a call may name a dtype: any second argument is taken for one."""
    return len(node.args) > 1 or "dtype" in dict(node.keywords) or None in dict(node.keywords)


def is_path(node: ir.Expression) -> bool:
    """A name, or an attribute of one."""
    while isinstance(node, ir.Attribute):
        node = node.value
    return isinstance(node, ir.Name)


def changes(loop: ir.For | ir.While, text: str) -> bool:
    """Whether a loop changes a tensor in place."""
    return any(
        isinstance(node, ir.Call)
        and isinstance(node.func, ir.Attribute)
        and node.func.name.endswith("_")
        and written(node.func.value) == text
        for node in walk(loop)
    )


def restarts(loop: ir.For | ir.While, each: Sum) -> bool:
    """Whether each round makes the total anew, or takes the history off the loss."""
    for node in walk(loop):
        if isinstance(node, ir.Assign):
            names = {*targets(node)}
            if each.total in names:
                return True
            if each.loss in names and any(
                isinstance(part, ir.Attribute) and part.name in CUTS for part in walk(node.value)
            ):
                return True
    return False
