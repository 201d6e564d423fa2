"""Arguments that only callers out of view know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from devlint.interpret.core import batches
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import element
from devlint.interpret.core.definitions import imported_type, is_decorated
from devlint.interpret.core.device_expressions import is_place
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.lower import ir
from devlint.lower.walk import by_type, walk
from devlint.project.project import Place
from devlint.queries.annotations import annotated, as_declared, declared
from devlint.queries.data_uses import (
    kept_as_records,
    taken_apart,
    used_as_data,
    used_as_records,
)
from devlint.queries.dotted_names import (
    path,
)
from devlint.queries.module_functions import attributes, bare, called, chosen
from devlint.queries.name_conventions import (
    FIXTURES,
    names_accelerator,
    names_device,
    place_named,
    words_of,
)
from devlint.values.device import ON_CPU, UNKNOWN, like
from devlint.values.origin import Origin
from devlint.values.tags import PerhapsNone
from devlint.values.value import NOTHING, Kind, Value


def symbols(machine: Run, function: ir.Def | ir.Lambda, *, has_receiver: bool) -> Arguments:
    """What callers out of view give for each parameter; for all the rest, `*args`, too."""
    told = choices_of(machine, function)
    named = {
        each.spelling: Argument(
            ir.Name(each.at, each.name),
            told.get(each.name) or symbol(machine, function, each),
        )
        for each in function.params[has_receiver:]
    }
    return Arguments(keywords=named, is_open=True)


def choices_of(machine: Run, function: ir.Def | ir.Lambda) -> Mapping[str, Value]:
    """What all calls of a function of a program give for its parameters that choose between ways,
    in the modules that name it; nothing of what may be called otherwise."""
    if not isinstance(function, ir.Def) or function not in machine.once(bare, machine.module):
        return {}
    calls = machine.once(called, machine.module).get(function.name, [])
    if calls is None or (calls and not any(chosen(function, calls))):
        return {}  # Whatever other modules give.
    if (place := machine.home.place) is not None:
        others = None if place.is_distributed else calls_elsewhere(place, function.name)
        if others is None:
            return {}
        calls = [*calls, *others]
    return {name: Value(Kind.CONSTANT, payload=e.value) for name, e in chosen(function, calls)}


def calls_elsewhere(place: Place, name: str) -> list[ir.Call] | None:
    """The calls by a name in the other modules of a project; None where they may do more with
    what has it."""
    found: list[ir.Call] = []
    for other in place.naming(name) or ():
        if other == place.module:
            continue
        source = place.project.source(other)
        calls = None if source is None else source.once(called).get(name, [])
        if source is None or calls is None or name in source.once(attributes):
            return None
        found += calls
    return found


def symbol(machine: Run, function: ir.Def | ir.Lambda, parameter: ir.Parameter) -> Value:
    """An argument that only callers out of view know: by its name a device, a configuration,
    else something that is on whatever device it is on."""
    name, told = parameter.name, declared(parameter)
    if name in machine.seeds.functions and (given := of_fixture(machine, name)) is not None:
        return given
    is_plain = parameter.annotation is None and is_number_by_default(parameter)
    if name == "dtype" or is_plain or (names_accelerator(name) and not names_device(name)):
        return Value(Kind.NUMBER, ref=parameter)
    if told is not None and not told.is_of_tensors:
        return Value(told.kind, ref=parameter)
    is_data = name in machine.once(used_as_data, function)
    if not is_data and is_place(machine, function, name, name):
        given = Value(Kind.DEVICE, place_named(name), ref=parameter)
        return given if parameter.kind[0] != "*" else NOTHING
    if is_loader(machine, function, parameter):
        device = UNKNOWN if machine.seeds.are_prepared else ON_CPU
        return Value(Kind.OBJECT, device, payload=batches.LOADER)
    fact = machine.libraries.fact(imported_type(machine, parameter))
    if fact is not None and (make := machine.libraries.given.get(fact.__class__)) is not None:
        return make(machine, fact, parameter)
    origin = Origin(parameter, "the argument")
    kind = Kind.UNKNOWN if told is None else told.kind
    if is_record(machine, function, parameter):
        kind = Kind.OBJECT
    value = Value(kind, like(parameter, name), ref=parameter, origin=origin)
    return value.tagged(PerhapsNone()) if may_be_none(parameter) else value


def as_taken(
    machine: Run, function: ir.Def | ir.Lambda, parameter: ir.Parameter, value: Value
) -> Value:
    """What a function takes for an argument: what may be anything is a number where it is declared
    to be one, no tensor where it is declared to be an array, and what its caller has under the name
    of a device is data where it is used so."""
    if value.kind is Kind.DEVICE:
        is_data = value.origin is None and parameter.name in machine.once(used_as_data, function)
        return NOTHING if is_data else value
    if value.kind is not Kind.UNKNOWN or parameter.annotation is None:
        return value
    told, words = declared(parameter), words_of(parameter.annotation)
    if told is not None and told.kind is Kind.NUMBER:
        return Value(Kind.NUMBER, ref=value.ref)
    tensor = value if may_be_none(parameter) else as_declared(value, told)
    if tensor is not value:
        return tensor
    is_array = "ndarray" in words and "Tensor" not in words
    return Value(ref=value.ref) if is_array else value


def is_loader(machine: Run, function: ir.Def | ir.Lambda, parameter: ir.Parameter) -> bool:
    """Whether an argument is annotated as one, and is none of its batches for all that."""
    if parameter.annotation is None or path(parameter.annotation)[-1:] != ["DataLoader"]:
        return False
    return parameter.name not in machine.once(taken_apart, function)


def of_fixture(machine: Run, name: str) -> Value | None:
    """What the fixture of the module gives that pytest binds to a parameter of that name."""
    function = machine.here().get((machine.top, name))
    made = function.payload if isinstance(function, Value) else None
    if not isinstance(made, Function) or not is_decorated(made, FIXTURES):
        return None
    if machine.function is made.node:
        return NOTHING
    own = symbols(machine, made.node, has_receiver=made.is_method)
    given = machine.invoke(replace(made, is_decorated=False), arguments=own)
    is_generator = any(isinstance(node, ir.Yield) for node in walk(made.node))
    return element(machine, given, made.node) if is_generator else given


def is_record(machine: Run, function: ir.Def | ir.Lambda, parameter: ir.Parameter) -> bool:
    """Whether an argument has a device that others chose, rather than being on it."""
    if is_of_fields(machine, parameter):
        return True
    if annotated(parameter.annotation) is not None or not isinstance(function, ir.Def):
        return False
    return "device" in function.words and is_used_as_record(machine, function, parameter.name, 2)


def is_used_as_record(machine: Run, function: ir.Def, name: str, levels: int) -> bool:
    """Whether a function, and those that it hands something to, only ask it for attributes."""
    handed = machine.once(used_as_records, function).get(name)
    if handed is None and (owner := machine.once(owners, machine.module).get(function)) is not None:
        keeping = machine.once(kept_as_records, owner)
        handed = used_as_records(function, keeping).get(name) if keeping else None
    if handed is None:
        return False
    for callee, index in handed:
        taker, place = taker_of(machine, callee, index) if levels else (None, index)
        if taker is None or place >= len(taker.params):
            return False
        if not is_used_as_record(machine, taker, taker.params[place].name, levels - 1):
            return False
    return True


def taker_of(machine: Run, callee: ir.Name, index: int) -> tuple[ir.Def | None, int]:
    """The function in view that takes an argument, or the constructor of a class, and as which of
    its parameters."""
    payload = machine.evaluate(callee).payload
    if isinstance(payload, ClassInfo):
        payload, index = payload.method("__init__"), index + 1
    node = payload.node if isinstance(payload, Function) else None
    return (node if isinstance(node, ir.Def) else None), index


def owners(module: ir.Module) -> dict[ir.Node, ir.Class]:
    """The classes of a module by their methods."""
    return {each: owner for owner in by_type(module)[ir.Class] for each in owner.body}


def is_of_fields(machine: Run, parameter: ir.Parameter) -> bool:
    """Whether an argument is annotated as a class in view that is made with a device."""
    if not isinstance(parameter.annotation, ir.Name):
        return False
    type_ = machine.evaluate(parameter.annotation).payload
    return isinstance(type_, ClassInfo) and any(map(names_device, type_.parameters))


def may_be_none(parameter: ir.Parameter) -> bool:
    """Whether an argument may be None, by its annotation or its default."""
    default, told = parameter.default, annotated(parameter.annotation)
    is_left_out = isinstance(default, ir.Constant) and default.value is None
    return is_left_out or (told is not None and told.may_be_none)


def is_number_by_default(parameter: ir.Parameter) -> bool:
    default = parameter.default
    is_plain = isinstance(default, ir.Constant) and isinstance(default.value, (int, float, str))
    return is_plain and not names_device(parameter.name)
