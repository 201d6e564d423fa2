"""Arguments that only callers out of view know."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.interpret import batches
from devlint.interpret.arguments import Argument, Arguments
from devlint.interpret.conditions import path
from devlint.interpret.naming import names_configuration, names_device, names_dtype
from devlint.lower import ir
from devlint.lower.walk import walk
from devlint.values.device import ON_CPU, chosen, like
from devlint.values.value import Kind, Origin, Value

#: Annotations of arguments that are on no device.
NUMBERS = frozenset({"int", "float", "bool", "str"})
#: What annotations of plain numbers and lists of them are made of.
PLAIN = NUMBERS | {"list", "tuple", "List", "Tuple", "Sequence", "Optional", "Union", "typing"}


def symbols(params: Iterable[ir.Parameter]) -> Arguments:
    named = {p.name: Argument(ir.Name(p.at, p.name), symbol(p)) for p in params if p.kind[0] != "*"}
    return Arguments(keywords=named, is_open=True)


def symbol(parameter: ir.Parameter) -> Value:
    """An argument that only callers out of view know: by its name a device, a configuration,
    else something that is on whatever device it is on."""
    name = parameter.name
    if is_number(parameter) or names_dtype(name):
        return Value(Kind.NUMBER, ref=parameter)
    if is_plain(parameter.annotation):
        return Value(Kind.CONTAINER, ref=parameter)
    if names_device(name):
        return Value(Kind.DEVICE, chosen(name))
    if parameter.annotation is not None and path(parameter.annotation)[-1:] == ["DataLoader"]:
        return Value(Kind.OBJECT, ON_CPU, detail=batches.LOADER)
    if names_configuration(name):
        return Value(ref=parameter)
    origin = Origin(parameter, "the argument")
    return Value(device=like(parameter, name), ref=parameter, origin=origin)


def is_number(parameter: ir.Parameter) -> bool:
    """By its annotation, or without one by its default."""
    if isinstance(parameter.annotation, ir.Name):
        return parameter.annotation.id in NUMBERS
    default = parameter.default
    is_plain = isinstance(default, ir.Constant) and isinstance(default.value, (int, float, str))
    return parameter.annotation is None and is_plain and not names_device(parameter.name)


def is_plain(annotation: ir.Expression | None) -> bool:
    """`list[int]`, `Optional[Tuple[float, ...]]`, `int | list[int] | None`."""
    if annotation is None:
        return False
    words = [
        node.id if isinstance(node, ir.Name) else node.name
        for node in walk(annotation)
        if isinstance(node, (ir.Name, ir.Attribute))
    ]
    return bool(words) and PLAIN.issuperset(words)
