"""What the steps of a program cost, gathered only when a rule is to judge it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from devlint.event import DoubleTransfer, Event, History, Operand, Read, Steps, Transfer
from devlint.facts.arrays import makes_doubles
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.queries.loop_context import Place, places, stored, targets
from devlint.queries.name_conventions import written
from devlint.values.device import Device
from devlint.values.precision import Double
from devlint.values.source import Batch, Factory
from devlint.values.value import Kind, Value

#: Functions that keep the precision of the NumPy data they are given.
KEEPS_PRECISION = frozenset({"torch.from_numpy", "torch.tensor", "torch.as_tensor"})
#: What a loss is made of afterwards has no history.
CUTS = frozenset({"detach", "detach_", "data", "item"})


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """`total` takes in `loss`, both as written."""

    total: str
    loss: str


class Profile:
    """Hears of moves, reads, sums and `backward` calls, and tells what they cost."""

    def __init__(self, module: ir.Module, emit: Callable[[Event], None]) -> None:
        self.emit = emit
        self.places = places(module)
        self.may_pin = "pin_memory" in module.words
        calls = [node.func for node in self.places if isinstance(node, ir.Call)]
        self.makes_loaders = any(written(func).endswith("DataLoader") for func in calls)
        self.reads: dict[ir.Node, Read] = {}
        self.sums: dict[ir.Node, Sum] = {}
        self.backwards: dict[ir.Call, str] = {}

    def place(self, node: ir.Node) -> Place:
        return self.places.get(node, Place())

    def move(self, node: ir.Call, value: Value, device: Device) -> None:
        if not isinstance(node.func, ir.Attribute) or not value.device.is_cpu:
            return
        if not device.is_known or device.is_cpu:
            return
        double = value.tag(Double)
        if double is not None and not converts(node):
            self.emit(DoubleTransfer(node, double.call))
        tensor = Operand(node.func.value, written(node.func.value), value)
        self.emit(
            Transfer(
                node,
                tensor,
                is_async=is_async(node),
                is_pageable=self.is_pageable(value),
                loop=self.constant_loop(node, tensor),
            )
        )

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

    def array(self, node: ir.Call, name: str, value: Value) -> Value:
        """What a function of NumPy gives."""
        return value.tagged(Double(node)) if makes_doubles(name, node) else value

    def made(self, node: ir.Call, name: str, data: Value, value: Value) -> Value:
        """What a factory makes of data."""
        double = data.tag(Double)
        if double is None or name not in KEEPS_PRECISION or converts(node):
            return value
        if value.device.is_known and not value.device.is_cpu:
            self.emit(DoubleTransfer(node, double.call))
        return value.tagged(double)

    def read(self, node: ir.Call, expression: ir.Expression, value: Value) -> None:
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

    def backward(self, node: ir.Call, loss: ir.Expression) -> None:
        self.backwards[node] = written(loss)

    def finish(self) -> None:
        """Tell of each loop with a `backward` call."""
        seen: set[ir.Node] = set()
        for backward in self.backwards:
            loop = self.place(backward).loop
            if loop is not None and loop not in seen:
                seen.add(loop)
                self.emit(Steps(loop, backward, self.waits(loop)))
        for node, each in self.sums.items():
            found = self.backward_of(node, each)
            if found is not None:
                self.emit(History(node, each.loss, each.total, found))

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
