"""Tensors made on the CPU, filled with what is where a module is, and returned where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from devlint.api import (
    Analysis,
    Assigned,
    Factory,
    Kind,
    Like,
    Operand,
    Presumption,
    Problem,
    Returned,
    Run,
    Value,
    ir,
    is_in_reach,
    is_unaware,
    items_of,
    on,
    written,
)
from devlint_rules.tensor_without_device.callers import is_before_moves, placed
from devlint_rules.tensor_without_device.cpu_factories import factory


class Filling(NamedTuple):
    """An item is assigned: `given`, which is `like` another value."""

    node: ir.Node
    given: Operand
    like: Like


class FilledTensors(Analysis[Run]):
    """Reports what a module returns on the CPU that it has filled with what moves with it.

    `x[i] = y` takes `y` to where `x` is, and raises nowhere: what the module gives next does.
    """

    is_failure = True

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.fillings: dict[ir.Call, Filling] = {}

    @on(Assigned)
    def assign(self, signal: Assigned) -> None:
        value = signal.value
        if value.kind is not Kind.TENSOR or value.is_scalar or not value.device.is_like:
            return
        for target in signal.node.targets:
            if isinstance(target, ir.Subscript) and isinstance(target.value, ir.Name):
                made = factory(self.run.lookup(target.value.id))
                if made is not None:
                    given = Operand(signal.node.value, written(signal.node.value), value)
                    filling = Filling(signal.node, given, value.device.likes[0])
                    self.fillings.setdefault(made.call, filling)

    @on(Returned)
    def give(self, signal: Returned) -> None:
        if not self.fillings or not self.is_of_module() or not self.is_last():
            return
        for value in tensors(self.run, signal.value):
            made = factory(value)
            filling = None if made is None else self.fillings.get(made.call)
            if made is not None and filling is not None and self.run.counts(self):
                self.run.report(self, problem(self.run, made, filling, signal.node))

    def is_of_module(self) -> bool:
        """Whether a method runs that is called where its module is."""
        owner = self.run.frame.owner
        if owner is None or not owner.is_module:
            return False
        return is_in_reach(self.run, owner) and not is_before_moves(self.run)

    def is_last(self) -> bool:
        """Whether nothing in view calls what runs, to move what it gives."""
        function = self.run.frame.path[-1]
        if not isinstance(function, ir.Def):
            return False
        # Each `forward` has its own name in it.
        callers = self.run.seeds.callers(function)
        return all(each.name == function.name for each in callers)


def tensors(run: Run, value: Value) -> Iterator[Value]:
    if value.kind is not Kind.CONTAINER:
        yield value
    elif value.ref is not None:
        for item in items_of(run, value):
            yield from tensors(run, item)


def problem(run: Run, made: Factory, filling: Filling, returned: ir.Return) -> Problem:
    unaware = (Presumption.UNAWARE_CODE,) if is_unaware(run) else ()
    given, place = filling.given.name, placed(filling.given, filling.like)
    return Problem(
        made.call,
        f"this tensor is made on the CPU, filled with `{given}`, which is {place}, and "
        "returned: on an accelerator the next operation with it raises",
        later=((filling.node, "it is filled here"), (returned, "and returned here")),
        presumes=(Presumption.MOVED_MODULE, Presumption.ACCELERATED_CALLER, *unaware),
    )
