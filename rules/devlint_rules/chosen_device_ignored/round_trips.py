"""What goes over the CPU to an accelerator."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.api import Arguments, Kind, On, Value, ir, path, walk


def fetches(receiver: ir.Expression, value: Value) -> Iterator[ir.Call]:
    """The calls of `cpu` that a value comes from."""
    came = value.origin.node if value.origin is not None and value.device.is_cpu else None
    calls = (each for each in (*walk(receiver), came) if isinstance(each, ir.Call))
    for call in calls:
        if isinstance(call.func, ir.Attribute) and call.func.name == "cpu" and path(call.func):
            yield call


def names_no_index(arguments: Arguments) -> bool:
    """`.cuda()` and `.to("cuda")`."""
    return all(argument.value.kind is Kind.CONSTANT for argument in arguments)


def is_given(value: Value) -> bool:
    """Whether a value is where an argument of a function is."""
    return any(isinstance(atom.source, ir.Parameter) for atom in value.device.likes)


def is_indexed(value: Value) -> bool:
    return any(isinstance(atom, On) and atom.index is not None for atom in value.device.atoms)
