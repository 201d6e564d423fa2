"""What a test tells of a value: what it is where the test holds, and where it fails."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TypeAlias, TypeGuard

from devlint.interpret.core.expression_keys import held
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.queries.device_tests import asked_for_elements
from devlint.queries.dotted_names import last_word
from devlint.queries.name_conventions import names_class
from devlint.queries.tensor_evidence import types_asked
from devlint.values.device import UNKNOWN
from devlint.values.tags import Empty, NoTensor, PerhapsNone
from devlint.values.value import NONE, NOTHING, Kind, Value

#: Types of what is no tensor.
PLAIN = frozenset(
    "list tuple dict int float bool str Number Sequence Iterable Mapping ndarray".split()
)
#: How types are called that tensors may be of.
OF_TENSORS = ("Tensor", "Parameter", "Variable", "Buffer")
ANY_TYPE = frozenset({"object", "Hashable", "Sized", "Any"})
NUMBERS = frozenset({"int", "float", "bool", "Number"})
#: The type of modules.
MODULE = "Module"
#: How types are compared, and whether what is true says that one is among the others.
OF_TYPES = {"is": True, "==": True, "in": True, "is not": False, "!=": False, "not in": False}
#: What a test tells of a value: that, and what it is where the test holds and where it fails.
Told: TypeAlias = tuple[Value | None, tuple[Value | None, Value | None]]
UNTOLD: Told = (None, (None, None))


def asked_for_type(machine: Run, test: ir.Expression) -> Told | None:
    """Of `isinstance(x, (list, int))`, that `x` is no tensor if that is true; of
    `isinstance(x, Tensor)`, that it is none if that is false, and so with modules."""
    if isinstance(test, ir.Compare):
        return asked_for_own_type(machine, test)
    if not isinstance(test, ir.Call) or not test.args or not isinstance(test.args[0], ir.Name):
        return None
    names, value = types_asked(test), machine.lookup(test.args[0].id)
    if value is not None and names == {MODULE}:
        return value, (value, NOTHING)
    is_tensor_test = "Tensor" in names
    if value is None or not (is_tensor_test or is_of_others(value, names)):
        return None
    if value.kind is Kind.DEVICE and names == {"str"}:
        return None  # A text names that device, too.
    kind = Kind.NUMBER if NUMBERS.issuperset(names) else Kind.UNKNOWN
    kind = Kind.ARRAY if names == {"ndarray"} else kind
    other = Value(kind, ref=value.ref).tagged(NoTensor(value.device))
    return value, (value, other) if is_tensor_test else (other, value)


def is_of_others(value: Value, names: Set[str]) -> bool:
    """Whether no tensor is of one of some types, by what they are called: neither plain ones, nor,
    of what certainly is one, other classes, but those of tensors, or that all objects are of."""
    others = names - PLAIN
    is_tensor = value.kind is Kind.TENSOR
    return bool(names) and (not others or (is_tensor and all(map(is_of_no_tensor, others))))


def is_of_no_tensor(name: str) -> bool:
    is_class = names_class(name) and not name.isupper()
    return is_class and not name.endswith(OF_TENSORS) and name not in ANY_TYPE


def asked_for_own_type(machine: Run, test: ir.Compare) -> Told | None:
    """Of `type(x) is list`, and `type(x) in (list, tuple)`, that `x` is no tensor if it is true."""
    match test.left:
        case ir.Call(func=ir.Name(id="type"), args=(ir.Name(id=name),)):
            value = machine.lookup(name)
        case _:
            return None
    is_plain = PLAIN.issuperset(map(last_word, types_compared(test)))
    if value is None or not is_plain or len(test.ops) > 1 or test.ops[0] not in OF_TYPES:
        return None
    none = Value(Kind.UNKNOWN, ref=value.ref).tagged(NoTensor(value.device))
    return value, (none, value) if OF_TYPES[test.ops[0]] else (value, none)


def types_compared(test: ir.Compare) -> Sequence[ir.Expression]:
    other = test.comparators[0]
    return other.items if isinstance(other, ir.Display) else (other,)


def asked_for_none(machine: Run, test: ir.Expression) -> Told | None:
    """Of `x is None`, that `x` is nothing else if that is true; what may be None is that, rather
    than empty, where `if x` fails."""
    value = machine.lookup(test.id) if isinstance(test, ir.Name) else None
    if value is not None and value.tag(PerhapsNone) is not None:
        return value, (value.untagged(PerhapsNone), NONE)
    if not is_none_test(test) or not isinstance(test.left, ir.Name):
        return None
    value = machine.lookup(test.left.id)
    if value is None or value.is_none:
        return None
    some = value.untagged(PerhapsNone) if value.tag(PerhapsNone) is not None else value
    return value, (NONE, some) if test.ops[0] == "is" else (some, NONE)


def told_of_value(machine: Run, test: ir.Expression) -> Told | None:
    """What a test tells of a value."""
    questions = (asked_for_type, asked_for_none, asked_for_empty)
    answers = (question(machine, test) for question in questions)
    return next((each for each in answers if each is not None), None)


def asked_for_empty(machine: Run, test: ir.Expression) -> Told | None:
    """Of a test for the elements of what was made without, that it is another tensor, or has been
    given some, where there are any."""
    found = asked_for_elements(test)
    value = held(machine, found[0]) if found is not None else None
    if found is None or value is None or value.tag(Empty) is None:
        return None
    other = replace(value.untagged(Empty), device=UNKNOWN, origin=None)
    return value, (value, other) if found[1] else (other, value)


def is_none_test(test: ir.Expression) -> TypeGuard[ir.Compare]:
    """Whether it is `x is None` or `x is not None`."""
    if not isinstance(test, ir.Compare) or len(test.ops) > 1:
        return False
    other = test.comparators[0]
    return (
        test.ops[0] in ("is", "is not") and isinstance(other, ir.Constant) and other.value is None
    )
