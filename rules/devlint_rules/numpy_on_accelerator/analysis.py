"""Tensors on accelerators that are made NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from devlint.api import (
    Analysis,
    Exported,
    Fix,
    Kind,
    Operand,
    Problem,
    Run,
    Value,
    followed,
    ir,
    is_moved_tensor,
    is_output,
    items_of,
    on,
    written,
)


class NumpyExports(Analysis[Run]):
    """Reports what NumPy cannot read the memory of."""

    is_failure = True

    @on(Exported)
    def export(self, signal: Exported) -> None:
        argument = signal.argument
        for way in ways(argument.value):
            given = replace(signal, argument=replace(argument, value=way))
            found = [each for each in self.tensors(given) if each.device.is_accelerator]
            for value in found:
                operand = Operand(argument.node, written(argument.node), value)
                self.run.report(self, problem(signal.node, operand, value is not way))
            if found:
                return

    def tensors(self, signal: Exported) -> Iterator[Value]:
        """The value, or the items of a list, that have to become arrays."""
        value, of = signal.argument.value, signal.fact.of
        is_mapping = isinstance(signal.argument.node, ir.Mapping)
        if value.kind is Kind.CONTAINER and (is_mapping or of != "tensors"):
            found = [item for item in self.items(value) if self.is_tensor(item)]
            yield from found[:1] if not is_mapping else (f for f in found if f.is_scalar is False)
        elif of == "self" or (of != "lists" and self.is_tensor(value)):
            yield value

    def items(self, whole: Value, depth: int = 3) -> Iterator[Value]:
        """What a list holds, and lists in it."""
        for item in items_of(self.run, whole):
            if item.kind is Kind.CONTAINER and depth:
                yield from self.items(item, depth - 1)
            else:
                yield item

    def is_tensor(self, value: Value) -> bool:
        return is_moved_tensor(self.run, value) or is_output(value)


def ways(value: Value) -> Iterator[Value]:
    """A value, and as it is on either path where a test tells, if it is on the CPU on none."""
    yield value
    test, arms = value.device.test, value.device.arms or ()
    if test is not None and all(arm.is_accelerator or arm.is_like for arm in arms):
        yield from (value.given(test, truth) for truth in (True, False))


def problem(node: ir.Call | ir.Subscript, operand: Operand, is_item: bool) -> Problem:
    held = "what it holds is" if is_item else "it is"
    origin = operand.value.origin
    return Problem(
        node,
        f"{maker(node)} cannot make an array of {operand.told('this')}: {held} "
        f"on {operand.value.device.told}, and NumPy reads the memory of the CPU only",
        ((origin.node, origin.text),) if origin is not None else (),
        fix=None if is_item else copy(operand),
    )


def maker(node: ir.Call | ir.Subscript) -> str:
    """What makes an array: a call, or an array that is filled."""
    return f"`{written(node.func)}(..)`" if isinstance(node, ir.Call) else f"`{written(node)} = ..`"


def copy(operand: Operand) -> Fix:
    change = followed(operand.node, ".cpu()")
    text = "copy it to the CPU first: `.cpu()`"
    if is_output(operand.value) and operand.value.kind is not Kind.TENSOR:
        return Fix(text, (change,), "unsafe", "what a model gives may be a tuple")
    return Fix(text, (change,), "safe")
