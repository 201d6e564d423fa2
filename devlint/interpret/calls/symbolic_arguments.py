"""Arguments that only callers out of view know."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.interpret.core import batches
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.definitions import annotated
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.queries.dotted_names import (
    path,
)
from devlint.queries.name_conventions import (
    names_device,
    words_of,
)
from devlint.queries.tensor_evidence import is_tensor_type
from devlint.values.device import ON_CPU, UNKNOWN, chosen, like
from devlint.values.value import NOTHING, Kind, Origin, Value

#: Annotations of arguments that are on no device.
NUMBERS = frozenset({"int", "float", "bool", "str"})
LISTS = frozenset({"list", "tuple", "List", "Tuple", "Sequence"})
#: What joins them, and may name nothing.
EITHER = frozenset({"Optional", "Union", "typing"})


def symbols(machine: Run, params: Iterable[ir.Parameter]) -> Arguments:
    """What callers out of view give for each parameter; for all the rest, `*args`, too."""
    named = {p.spelling: Argument(ir.Name(p.at, p.name), symbol(machine, p)) for p in params}
    return Arguments(keywords=named, is_open=True)


def symbol(machine: Run, parameter: ir.Parameter) -> Value:
    """An argument that only callers out of view know: by its name a device, a configuration,
    else something that is on whatever device it is on."""
    name = parameter.name
    kind = plain_kind(parameter.annotation)
    if name == "dtype" or (parameter.annotation is None and is_number_by_default(parameter)):
        kind = Kind.NUMBER
    if kind is not None:
        return Value(kind, ref=parameter)
    if names_device(name):
        return Value(Kind.DEVICE, chosen(name)) if parameter.kind[0] != "*" else NOTHING
    if parameter.annotation is not None and path(parameter.annotation)[-1:] == ["DataLoader"]:
        device = UNKNOWN if machine.seeds.are_prepared else ON_CPU
        return Value(Kind.OBJECT, device, payload=batches.LOADER)
    fact = machine.libraries.fact(annotated(machine, parameter))
    if fact is not None and (make := machine.libraries.given.get(fact.__class__)) is not None:
        return make(machine, fact, parameter)
    origin = Origin(parameter, "the argument")
    kind = Kind.TENSOR if is_always_tensor(parameter) else Kind.UNKNOWN
    return Value(kind, like(parameter, name), ref=parameter, origin=origin)


def is_always_tensor(parameter: ir.Parameter) -> bool:
    """Whether an annotation says that what is given is a tensor, never None."""
    default, annotation = parameter.default, parameter.annotation
    may_be_none = isinstance(default, ir.Constant) and default.value is None
    if may_be_none or annotation is None or not is_tensor_type(annotation):
        return False
    return words_of(annotation).isdisjoint({"Optional", "Union", "None"})


def is_number_by_default(parameter: ir.Parameter) -> bool:
    default = parameter.default
    is_plain = isinstance(default, ir.Constant) and isinstance(default.value, (int, float, str))
    return is_plain and not names_device(parameter.name)


def plain_kind(annotation: ir.Expression | None) -> Kind | None:
    """What an annotation that names no tensor stands for: numbers (`Optional[int]`), lists of them
    (`list[int]`), or either (`int | list[int]`)."""
    if annotation is None:
        return None
    words = words_of(annotation)
    if not words or not words <= NUMBERS | LISTS | EITHER:
        return None
    if not words & LISTS:
        return Kind.NUMBER
    whole = annotation.value if isinstance(annotation, ir.Subscript) else annotation
    return Kind.UNKNOWN if LISTS.isdisjoint(path(whole)[-1:]) else Kind.CONTAINER
