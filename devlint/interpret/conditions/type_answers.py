"""Tests of types whose truth is known where they stand."""

from __future__ import annotations

from devlint.facts.effect import Container, Fact, Layer
from devlint.facts.table import fact
from devlint.interpret.conditions.container_answers import is_record
from devlint.interpret.conditions.narrowing import (
    MODULE,
    OF_TYPES,
    asked_for_type,
    types_compared,
)
from devlint.interpret.core.expression_keys import held
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import display_kind, maker
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.queries.dotted_names import last_word
from devlint.queries.name_conventions import written
from devlint.queries.tensor_evidence import types_asked
from devlint.values.alternatives import possible_objects
from devlint.values.tags import AllParts, PerhapsNone
from devlint.values.value import CALLABLE, Kind

ABSTRACT = {
    "list": ("Sequence", "Iterable"),
    "tuple": ("Sequence", "Iterable"),
    "dict": ("Mapping", "Iterable"),
}
#: Layers of which the class derives from that of another one; lazy ones become another one.
DERIVED = frozenset({"ReLU6"})
#: Types of tensors.
TENSORS = frozenset({"Tensor", "Parameter", "Variable", "_TensorBase"})
#: What asks whether something is a class, and the kinds of what is none.
ASKS_FOR_CLASS = frozenset({"isclass"})
MODULES = frozenset({Kind.MODULE, Kind.UNKNOWN})
OBJECTS = frozenset({Kind.MODULE, Kind.TENSOR, Kind.OBJECT, Kind.CONTAINER, Kind.FUNCTION})


def is_instance(machine: Run, test: ir.Expression) -> bool | None:
    """What `isinstance(x, ..)` gives of what certainly is a tensor, or was written as a list, and
    `type(x) is ..`."""
    told = asked_for_type(machine, test)
    if told is None or told[0] is None:
        return None
    if is_record(machine, told[0]) and isinstance(test, ir.Call):
        return "tuple" in types_asked(test)
    if isinstance(test, ir.Compare):
        kind, kinds = display_kind(told[0].ref), map(last_word, types_compared(test))
        return None if kind is None else (kind in kinds) is OF_TYPES[test.ops[0]]
    if not isinstance(test, ir.Call):
        return None
    if told[0].kind is Kind.CONTAINER and (kind := display_kind(told[0].ref)) is not None:
        return not types_asked(test).isdisjoint({kind, *ABSTRACT[kind]})
    if told[0].kind in (Kind.CONTAINER, Kind.MODULE) and types_asked(test) <= TENSORS:
        return False
    if told[0].kind is Kind.MODULE and MODULE in types_asked(test):
        return True
    if told[0].kind is not Kind.TENSOR:
        return None
    if told[0].tag(PerhapsNone) is not None:
        return None
    return told[1][0] is told[0]


def is_layer(machine: Run, test: ir.Expression) -> bool | None:
    """What `isinstance(x, nn.Linear)` gives of a layer of PyTorch, by the name that it was made
    by."""
    if not isinstance(test, ir.Call) or not test.args:
        return None
    asked, layer = types_asked(test), held(machine, test.args[0])
    if layer is None or layer.kind is not Kind.MODULE or layer.tag(AllParts) is not None:
        return None
    made = maker(layer.ref)
    if not asked or not isinstance(made, ir.Call):
        return None
    name = last_word(made.func)
    facts = [fact(f"torch.nn.{each}") for each in (name, *asked)]
    if machine.instance(layer.ref).type is not facts[0] or not all(map(is_of_layer, facts)):
        return None
    is_same = name in asked
    return None if not is_same and (name.startswith("Lazy") or name in DERIVED) else is_same


def is_of_layer(known: Fact | None) -> bool:
    return isinstance(known, Layer | Container)


def is_callable(machine: Run, test: ir.Expression) -> bool | None:
    """What `callable(x)` gives of a function or class in view, and of a tensor."""
    if not isinstance(test, ir.Call) or written(test.func) != "callable" or not test.args:
        return None
    kind = machine.evaluate(test.args[0]).kind
    return True if kind in CALLABLE else False if kind is Kind.TENSOR else None


def is_class(machine: Run, test: ir.Expression) -> bool | None:
    """What `isinstance(x, type)` and `inspect.isclass(x)` give of a class or layer in view."""
    if not isinstance(test, ir.Call) or not test.args:
        return None
    if last_word(test.func) not in ASKS_FOR_CLASS and types_asked(test) != {"type"}:
        return None
    value = machine.evaluate(test.args[0])
    if value.kind is Kind.IMPORTED:
        return isinstance(machine.libraries.fact(str(value.payload)), Layer) or None
    return True if value.kind is Kind.CLASS else False if value.kind in OBJECTS else None


def is_there(machine: Run, test: ir.Expression) -> bool | None:
    """What `if x` gives of a module, which is true if it has no length of its own; so of what may
    be one, or else anything."""
    if not isinstance(test, (ir.Name, ir.Attribute)):
        return None
    value = held(machine, test)
    if value is None or value.kind not in MODULES or value.tag(PerhapsNone) is not None:
        return None
    found = (machine.instance(each).type for each in possible_objects(value.ref))
    types = [each for each in found if each is not None]
    return (bool(types) and all(map(has_no_length, types))) or None


def has_no_length(type_: object) -> bool:
    if isinstance(type_, ClassInfo):
        is_plain = all(base == "torch.nn.Module" for base in type_.imported_bases)
        return is_plain and not any(map(type_.method, ("__len__", "__bool__")))
    return isinstance(type_, Layer)
