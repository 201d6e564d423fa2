"""Tests whose truth is known where they stand, by what they ask of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne

from devlint.interpret.conditions.container_answers import has_fields, is_in_empty
from devlint.interpret.conditions.device_answers import (
    EQUALITIES,
    is_accelerated,
    is_index,
    is_located,
)
from devlint.interpret.conditions.narrowing import is_none_test
from devlint.interpret.conditions.type_answers import (
    is_callable,
    is_class,
    is_instance,
    is_layer,
    is_there,
)
from devlint.interpret.core.expression_keys import held
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo
from devlint.lower import ir
from devlint.queries.device_tests import asked_for_elements, number
from devlint.queries.kept_values import kept_arguments
from devlint.queries.loop_context import counter, in_first, stored
from devlint.values.tags import Empty, PerhapsNone
from devlint.values.value import Kind, Value, as_device

#: The kinds of what is no None, though a test asks for that.
THINGS = frozenset({Kind.TENSOR, Kind.CONSTANT, Kind.GENERATOR, Kind.CONTAINER, Kind.FUNCTION})
#: The number of the CPU among devices.
NO_DEVICE = -1
#: Comparisons of numbers.
ORDERS: Mapping[str, Callable[[int, int], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "==": eq,
    "!=": ne,
}
#: What methods of texts ask of them.
OF_TEXTS = frozenset({"startswith", "endswith", "isdigit", "isdecimal", "isupper", "islower"})


def flagged(machine: Run, test: ir.Expression) -> bool | None:
    """What a test gives of a flag that the call in view sets, or the making of an object."""
    if isinstance(test, ir.Attribute):
        kept = settled(machine, test)
        if kept is not None and kept.is_none:
            return False if is_from_maker(machine, test) else None
        return kept.payload if kept is not None and isinstance(kept.payload, bool) else None
    function = machine.function
    if not isinstance(test, ir.Name) or not isinstance(function, ir.Def):
        return None
    value = machine.lookup(test.id) if machine.frame is not machine.top else None
    if value is None or value.kind is not Kind.CONSTANT:
        return None
    is_given = any(each.name == test.id for each in function.params)
    if not isinstance(value.payload, bool):
        return bool(value.payload) if is_given and is_unchanged(machine, test.id) else None
    if test.id in machine.frame.outer_names and isinstance(machine.frame.path[-1], ir.Call):
        return value.payload  # What the function itself sets is no option.
    return value.payload if is_given else None


def is_device(machine: Run, test: ir.Expression) -> bool | None:
    """What a test gives of a device that a function has to be given: it is no None."""
    function = machine.function
    if not isinstance(test, ir.Name) or not isinstance(function, ir.Def):
        return None
    is_given = any(each.name == test.id and each.default is None for each in function.params)
    value = machine.lookup(test.id) if is_given else None
    device = None if value is None else as_device(value)
    return True if device is not None and device.is_known else None


def argued(machine: Run, test: ir.Expression) -> bool | None:
    """What a test gives that compares an argument, which the call in view gives, to texts or to
    members of classes, or what an object keeps to numbers, too. A number that is written out may be
    where functions call each other until they are done."""
    if not isinstance(test, ir.Compare):
        return None
    given, others = choice(machine, test.left), compared(test)
    is_kept = isinstance(test.left, ir.Attribute)
    are_choices = all(is_name_of_choice(each, with_numbers=is_kept) for each in others)
    if given is None or not others or not are_choices:
        return None
    values = [machine.evaluate(other) for other in others]
    if any(each.kind is not Kind.CONSTANT for each in values):
        return None
    is_equal = any(given.payload == each.payload for each in values)
    return is_equal is EQUALITIES[test.ops[0]]


def is_of_no_accelerator(machine: Run, test: ir.Expression) -> bool | None:
    """What `device >= 0` gives of -1, which stands for the CPU as the number of a device, where the
    call in view gives that, or an object keeps it."""
    if not isinstance(test, ir.Compare) or len(test.ops) > 1 or test.ops[0] not in ORDERS:
        return None
    given, other = choice(machine, test.left), number(test.comparators[0])
    is_none = given is not None and given.payload == NO_DEVICE
    return ORDERS[test.ops[0]](NO_DEVICE, other) if is_none and type(other) is int else None


def asked_of_text(machine: Run, test: ir.Expression) -> bool | None:
    """What `name.startswith("data")` gives of a text that the call in view gives."""
    if not isinstance(test, ir.Call) or not isinstance(test.func, ir.Attribute):
        return None
    given = choice(machine, test.func.value) if test.func.name in OF_TEXTS else None
    if given is None or not isinstance(given.payload, str) or test.keywords:
        return None
    texts = [each.value for each in test.args if isinstance(each, ir.Constant)]
    if len(texts) < len(test.args) or not all(isinstance(each, str) for each in texts):
        return None
    return bool(getattr(given.payload, test.func.name)(*texts))


def choice(machine: Run, node: ir.Expression) -> Value | None:
    """A constant that stands for one way of several."""
    if isinstance(node, ir.Name):
        return argument(machine, node.id)
    kept = held(machine, node)
    if kept is not None and kept.kind is Kind.CONSTANT and isinstance(kept.payload, str):
        return kept
    kept = settled(machine, node)
    return None if kept is None or kept.is_none else kept


def settled(machine: Run, node: ir.Expression) -> Value | None:
    """A constant that an object keeps from when it was made on: no method sets it anew."""
    kept = held(machine, node)
    if kept is None or kept.kind is not Kind.CONSTANT:
        return None
    return kept if isinstance(node, ir.Attribute) and is_set_once(machine, node) else None


def is_left_out(machine: Run, node: ir.Attribute) -> bool:
    """Whether an attribute is None by what its object is made with, and stays so."""
    kept = settled(machine, node)
    return kept is not None and kept.is_none and is_from_maker(machine, node)


def is_from_maker(machine: Run, node: ir.Attribute) -> bool:
    """Whether an attribute is an argument that an object in view is made with, as it is."""
    whole = held(machine, node.value)
    owner = None if whole is None else machine.instance(whole.ref).type
    init = owner.method("__init__") if isinstance(owner, ClassInfo) else None
    return init is not None and node.name in machine.once(kept_arguments, init.node)


def is_set_once(machine: Run, node: ir.Attribute) -> bool:
    """Whether an attribute is one of an object in view which `__init__` alone sets."""
    whole = held(machine, node.value)
    owner = None if whole is None else machine.instance(whole.ref).type
    if not isinstance(owner, ClassInfo):
        return False
    setters = (each for each in owner.definitions if each.name != "__init__")
    return not any(node.name in each.stores for each in setters)


def argument(machine: Run, name: str) -> Value | None:
    """A constant that the call in view gives for a name; a text may also be of the function's."""
    is_local = machine.frame is not machine.top and name in machine.frame.names
    value = machine.lookup(name) if is_local else None
    if value is None or value.kind is not Kind.CONSTANT or value.is_none:
        return None
    return value if isinstance(value.payload, str) or is_unchanged(machine, name) else None


def is_unchanged(machine: Run, name: str) -> bool:
    """Whether a name is that of a parameter which the running function assigns nothing to."""
    function = machine.function
    if not isinstance(function, ir.Def) or all(each.name != name for each in function.params):
        return False
    return name not in machine.once(stored, function)


def compared(test: ir.Compare) -> Sequence[ir.Expression]:
    """What a test compares its left side to: one expression, or those of a display."""
    other = test.comparators[0]
    if len(test.ops) > 1 or test.ops[0] not in EQUALITIES:
        return ()
    if test.ops[0] in ("==", "!="):
        return (other,)
    return other.items if isinstance(other, ir.Display) else ()


def is_name_of_choice(node: ir.Expression, *, with_numbers: bool) -> bool:
    is_text = isinstance(node, ir.Constant) and (with_numbers or isinstance(node.value, str))
    return is_text or isinstance(node, ir.Attribute)


def is_nothing(machine: Run, test: ir.Expression) -> bool | None:
    """What `x is None` gives of a name of the running function where that is certain. At the top of
    a program None is rather an option that somebody sets."""
    if not is_none_test(test):
        return None
    op = test.ops[0]
    if isinstance(test.left, ir.Attribute):
        if is_left_out(machine, test.left) or is_unfilled(machine, test.left):
            return op == "is"
        value = held(machine, test.left)
        return op == "is not" if value is not None and is_given(value) else None
    if not isinstance(test.left, ir.Name) or test.left.id not in machine.frame.names:
        return None
    value = machine.lookup(test.left.id)
    if value is not None and value.is_none:
        return None if machine.frame is machine.top else op == "is"
    return op == "is not" if value is not None and is_given(value) else None


def is_given(value: Value) -> bool:
    """Whether a value certainly is not None; callers out of view may give none."""
    if value.tag(PerhapsNone) is not None:
        return False
    is_told = value.device.is_known and not isinstance(value.ref, ir.Parameter)
    is_device = value.kind is Kind.DEVICE and (is_told or value.device.is_like)
    return value.kind in THINGS or is_device


def is_unfilled(machine: Run, asked: ir.Attribute) -> bool:
    """Whether an attribute is None which the running function sets: it has it from then on."""
    value, function = held(machine, asked), machine.function
    is_set = isinstance(function, ir.Def) and asked.name in function.stores
    return is_set and value is not None and value.is_none


def is_bare_item(machine: Run, test: ir.Expression) -> bool | None:
    """What a test gives that asks an item of a container for its elements, where it was made
    without."""
    found = asked_for_elements(test)
    if found is None or not isinstance(found[0], ir.Subscript):
        return None
    return found[1] if machine.evaluate(found[0]).tag(Empty) is not None else None


def is_first_round(machine: Run, test: ir.Expression) -> bool | None:
    """What `i == 0` gives in the first round of a loop that counts them, and in the others."""
    for loop in machine.loops:
        name = counter(loop.node) if isinstance(loop.node, ir.For) else None
        if name is not None and loop.is_first is not None:
            answer = in_first(test, name)
            if answer is not None:
                return answer is loop.is_first
    return None


ANSWERS = (
    is_first_round,
    flagged,
    is_device,
    argued,
    is_of_no_accelerator,
    asked_of_text,
    is_nothing,
    is_accelerated,
    is_located,
    is_index,
    is_instance,
    is_layer,
    has_fields,
    is_callable,
    is_class,
    is_there,
    is_bare_item,
    is_in_empty,
)
