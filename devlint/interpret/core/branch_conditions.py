"""Tests of branches: when two are the same, and what they say of the device in use."""

from __future__ import annotations

from collections.abc import Hashable, Set
from dataclasses import replace
from typing import TypeAlias, TypeGuard

from devlint.interpret.core.expression_keys import held_attribute, key_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import display_kind
from devlint.lower import ir
from devlint.lower.walk import is_for_checkers
from devlint.queries.device_tests import (
    CPU_IF_TRUE,
    ON_IF_TRUE,
    OTHER_BACKENDS,
    asked_for_elements,
    senses,
)
from devlint.queries.name_conventions import is_main_guard
from devlint.queries.tensor_evidence import types_asked
from devlint.values.condition import SILENT, Condition, Senses
from devlint.values.device import UNKNOWN, On
from devlint.values.tags import ByDefault, Empty
from devlint.values.value import NONE, NOTHING, Kind, NoTensor, PerhapsNone, Value

#: Types of what is no tensor.
PLAIN = frozenset(
    "list tuple dict int float bool str Number Sequence Iterable Mapping ndarray".split()
)
ABSTRACT = {
    "list": ("Sequence", "Iterable"),
    "tuple": ("Sequence", "Iterable"),
    "dict": ("Mapping", "Iterable"),
}
#: Whether the index of an accelerator passes a comparison with 0 or -1.
INDEX_TESTS = {">=": True, ">": True, "<": False}
#: That of modules.
MODULE = "Module"
NUMBERS = frozenset({"int", "float", "bool", "Number"})
#: What a test tells of a value: that, and what it is where the test holds and where it fails.
Told: TypeAlias = tuple[Value | None, tuple[Value | None, Value | None]]
UNTOLD: Told = (None, (None, None))


def truth(machine: Run, test: ir.Expression) -> bool | Condition:
    """Evaluate a test: its truth where it is written out, else the condition it stands for."""
    machine.evaluate(test)
    if isinstance(test, ir.Constant):
        return bool(test.value)
    if is_for_checkers(test):
        return machine.is_imported  # So packages show what they import when it is asked for.
    if is_main_guard(test):
        return machine.top is machine.home.frame and not machine.is_imported
    if isinstance(test, ir.Name) and machine.loops:
        value = machine.lookup(test.id)
        if value is not None and isinstance(value.payload, bool):
            return value.payload  # A flag such as `first`, which the loop sets.
    found = condition(machine, test)
    if found.known is not None:
        return found.known is not found.is_negated
    if (told := decided(machine, found)) is not None:
        return told
    if found.senses != SILENT:
        machine.notes.chooses_device = True
    return found


def decided(machine: Run, test: Condition) -> bool | None:
    """How a test has come out before on this path, in the caller perhaps, of the same values."""
    if not is_fixed(test.key):
        return None
    before, truth = machine.here().decision(test) or (None, False)
    if not isinstance(before, Condition):
        return None
    return before.upright(truth)[1] is not test.is_negated


def is_fixed(key: Hashable) -> bool:
    """Whether a test is of values alone, not of what is in objects or what calls give."""
    if not isinstance(key, tuple) or key[0] in (".", "[]", "node"):
        return False
    return key[0] in ("value", "constant") or all(map(is_fixed, key[1:]))


def flagged(machine: Run, test: ir.Expression) -> bool | None:
    """What a test gives of a flag that the call in view sets."""
    function = machine.function
    if not isinstance(test, ir.Name) or not isinstance(function, ir.Def):
        return None
    value = machine.lookup(test.id) if machine.frame is not machine.top else None
    if value is None or not isinstance(value.payload, bool) or value.tag(ByDefault) is not None:
        return None
    return value.payload if any(each.name == test.id for each in function.params) else None


def argued(machine: Run, test: ir.Expression) -> bool | None:
    """What a test gives that compares an argument, which the call in view gives, to a constant."""
    if not isinstance(test, ir.Compare) or not isinstance(test.left, ir.Name):
        return None
    other = test.comparators[0]
    if len(test.ops) > 1 or test.ops[0] not in ("==", "!=") or not isinstance(other, ir.Constant):
        return None
    is_local = machine.frame is not machine.top and test.left.id in machine.frame.names
    value = machine.lookup(test.left.id) if is_local else None
    if value is None or value.kind is not Kind.CONSTANT or not isinstance(value.payload, str):
        return None
    return (value.payload == other.value) is (test.ops[0] == "==")


def is_nothing(machine: Run, test: ir.Expression) -> bool | None:
    """What `x is None` gives of a name of the running function where that is certain. At the top of
    a program None is rather an option that somebody sets."""
    if not is_none_test(test) or not isinstance(test.left, ir.Name):
        return None
    op, is_local = test.ops[0], test.left.id in machine.frame.names
    if not is_local or machine.frame is machine.top:
        return None
    value = machine.lookup(test.left.id)
    if value == NONE:
        return op == "is"
    if value is None or value.tag(PerhapsNone) is not None:
        return None
    is_of_tensor = value.kind is Kind.DEVICE and value.device.is_like
    return op == "is not" if value.kind is Kind.TENSOR or is_of_tensor else None


def is_accelerated(machine: Run, test: ir.Expression) -> bool | None:
    """What `x.is_cuda` gives of a tensor of which it is known where it is on this path."""
    if not isinstance(test, ir.Attribute) or test.name != "is_cuda":
        return None
    value = machine.evaluate(test.value)
    if value.kind is not Kind.TENSOR or value.device.arms is not None:
        return None
    is_cuda = value.device.atoms and all(
        isinstance(atom, On) and atom.type == "cuda" for atom in value.device.atoms
    )
    return True if is_cuda else False if value.device.is_cpu else None


def is_index(machine: Run, test: ir.Expression) -> bool | None:
    """What `x.get_device() >= 0` gives. The index of the CPU, too, is taken for its device."""
    if not isinstance(test, ir.Compare) or len(test.ops) > 1 or test.ops[0] not in INDEX_TESTS:
        return None
    value, other = held(machine, test.left), test.comparators[0]
    is_asked = value is not None and value.kind is Kind.DEVICE
    is_number = isinstance(other, ir.Constant) and isinstance(other.value, int)
    return INDEX_TESTS[test.ops[0]] if is_asked and is_number else None


def is_instance(machine: Run, test: ir.Expression) -> bool | None:
    """What `isinstance(x, ..)` gives of what certainly is a tensor, or was written as a list."""
    told = asked_for_type(machine, test)
    if told is None or told[0] is None or not isinstance(test, ir.Call):
        return None
    if told[0].kind is Kind.CONTAINER and (kind := display_kind(told[0].ref)) is not None:
        return not types_asked(test).isdisjoint({kind, *ABSTRACT[kind]})
    if told[0].kind is Kind.MODULE and MODULE in types_asked(test):
        return True
    if told[0].kind is not Kind.TENSOR:
        return None
    if told[0].tag(PerhapsNone) is not None:
        return None
    return told[1][0] is told[0]


def condition(machine: Run, test: ir.Expression) -> Condition:
    """The condition of a test that has been evaluated."""
    if isinstance(test, ir.Unary) and test.op == "not":
        return condition(machine, test.operand).negated()
    kept = held(machine, test)
    if kept is not None and isinstance(kept.payload, Condition):
        return kept.payload
    for answer in (
        flagged,
        argued,
        is_nothing,
        is_accelerated,
        is_index,
        is_instance,
        is_bare_item,
    ):
        if (known := answer(machine, test)) is not None:
            return Condition(("known", known), known=known)
    key = key_of(machine, test)
    own = machine.libraries.devices
    others = OTHER_BACKENDS | own if own else OTHER_BACKENDS
    told = chosen_senses(machine, test) or kept_senses(machine, test, others)
    subject, narrowed = asked(machine, test) or UNTOLD
    return Condition(key, told, subject=subject, narrowed=narrowed)


def kept_senses(machine: Run, test: ir.Expression, others: Set[str]) -> Senses:
    """What a test says of chosen devices, those parts of it included that were asked before."""

    def before(part: ir.Expression) -> Senses | None:
        kept = held(machine, part)
        test = kept.payload if kept is not None else None
        return (test.sense(True), test.sense(False)) if isinstance(test, Condition) else None

    return senses(test, others, before)


def held(machine: Run, node: ir.Expression) -> Value | None:
    """What a name or an attribute of a named object stands for."""
    if isinstance(node, ir.Name):
        return machine.lookup(node.id)
    return held_attribute(machine, node) if isinstance(node, ir.Attribute) else None


def chosen_senses(machine: Run, test: ir.Expression) -> Senses | None:
    """What `device == "cuda"` says where `device` has been chosen between that and the CPU."""
    if not isinstance(test, ir.Compare) or test.ops not in (("==",), ("!=",)):
        return None
    left, other = test.left, test.comparators[0]
    is_type = isinstance(left, ir.Attribute) and left.name == "type"
    subject = left.value if is_type and isinstance(left, ir.Attribute) else left
    if not isinstance(subject, ir.Name) or not isinstance(other, ir.Constant):
        return None
    value, text = machine.lookup(subject.id), str(other.value)
    atoms = value.device.possible() if value is not None and value.kind is Kind.DEVICE else ()
    names = {atom.type if is_type and isinstance(atom, On) else str(atom) for atom in atoms}
    if names != {text, "cpu"} or text == "meta":
        return None
    return ON_IF_TRUE if test.ops[0] == "==" else CPU_IF_TRUE


def asked_for_type(machine: Run, test: ir.Expression) -> Told | None:
    """Of `isinstance(x, (list, int))`, that `x` is no tensor if that is true; of
    `isinstance(x, Tensor)`, that it is none if that is false, and so with modules."""
    if not isinstance(test, ir.Call) or not test.args or not isinstance(test.args[0], ir.Name):
        return None
    names, value = types_asked(test), machine.lookup(test.args[0].id)
    if value is not None and names == {MODULE}:
        return value, (value, NOTHING)
    is_tensor_test = "Tensor" in names
    if value is None or not (is_tensor_test or (names and PLAIN.issuperset(names))):
        return None
    kind = Kind.NUMBER if NUMBERS.issuperset(names) else Kind.UNKNOWN
    kind = Kind.ARRAY if names == {"ndarray"} else kind
    other = Value(kind, ref=value.ref).tagged(NoTensor(value.device))
    return value, (value, other) if is_tensor_test else (other, value)


def asked_for_none(machine: Run, test: ir.Expression) -> Told | None:
    """Of `x is None`, that `x` is nothing else if that is true; what may be None is that, rather
    than empty, where `if x` fails."""
    value = machine.lookup(test.id) if isinstance(test, ir.Name) else None
    if value is not None and value.tag(PerhapsNone) is not None:
        return value, (value.untagged(PerhapsNone), NONE)
    if not is_none_test(test) or not isinstance(test.left, ir.Name):
        return None
    value = machine.lookup(test.left.id)
    if value is None or value == NONE:
        return None
    some = value.untagged(PerhapsNone) if value.tag(PerhapsNone) is not None else value
    return value, (NONE, some) if test.ops[0] == "is" else (some, NONE)


def asked(machine: Run, test: ir.Expression) -> Told | None:
    """What a test tells of a value."""
    questions = (asked_for_type, asked_for_none, asked_for_empty)
    answers = (question(machine, test) for question in questions)
    return next((each for each in answers if each is not None), None)


def is_bare_item(machine: Run, test: ir.Expression) -> bool | None:
    """What a test gives that asks an item of a container for its elements, where it was made
    without."""
    found = asked_for_elements(test)
    if found is None or not isinstance(found[0], ir.Subscript):
        return None
    return found[1] if machine.evaluate(found[0]).tag(Empty) is not None else None


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
