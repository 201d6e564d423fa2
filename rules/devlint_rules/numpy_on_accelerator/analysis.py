"""Tensors on accelerators that are made NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterator

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
        for value in self.tensors(signal):
            if value.device.is_accelerator:
                operand = Operand(argument.node, written(argument.node), value)
                is_item = value is not argument.value
                self.run.report(self, problem(signal.call.node, operand, is_item))

    def tensors(self, signal: Exported) -> Iterator[Value]:
        """The value, or the items of a list, that have to become arrays."""
        value, of = signal.argument.value, signal.fact.of
        is_mapping = isinstance(signal.argument.node, ir.Mapping)
        if value.kind is Kind.CONTAINER and (is_mapping or of != "tensors"):
            found = [item for item in items_of(self.run, value) if is_moved_tensor(self.run, item)]
            yield from found[:1] if not is_mapping else (f for f in found if f.is_scalar is False)
        elif of == "self" or (of != "lists" and is_moved_tensor(self.run, value)):
            yield value


def problem(call: ir.Call, operand: Operand, is_item: bool) -> Problem:
    held = "what it holds is" if is_item else "it is"
    origin = operand.value.origin
    return Problem(
        call,
        f"`{written(call.func)}(..)` cannot make an array of {operand.told('this')}: {held} "
        f"on {operand.value.device.told}, and NumPy reads the memory of the CPU only",
        ((origin.node, origin.text),) if origin is not None else (),
        fix=None if is_item else copy(operand),
    )


def copy(operand: Operand) -> Fix:
    change = followed(operand.node, ".cpu()")
    return Fix("copy it to the CPU first: `.cpu()`", (change,), "safe")
