"""Tests of where something is, whose truth is known where they stand, and what they choose."""

from __future__ import annotations

from devlint.interpret.core.expression_keys import held
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.queries.dotted_names import last_word
from devlint.values.device import Device, On, named
from devlint.values.value import Kind, Value, as_device

#: Whether the index of an accelerator passes a comparison with 0 or -1.
INDEX_TESTS = {">=": True, ">": True, "<": False}
#: Whether what is equal passes a comparison.
EQUALITIES = {"==": True, "in": True, "!=": False, "not in": False}


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


def is_located(machine: Run, test: ir.Expression) -> bool | None:
    """What `x.device.type == "cpu"` gives of a tensor of which it is known where it is on this
    path, or of what a function keeps of that, and `x.device == "cpu"`, which is meant to give the
    same, where it is elsewhere."""
    if not isinstance(test, ir.Compare) or len(test.ops) > 1 or test.ops[0] not in EQUALITIES:
        return None
    left, other = test.left, test.comparators[0]
    device = named(str(other.value)) if isinstance(other, ir.Constant) else None
    place = placed(machine, left) if device is not None else None
    if device is None or place is None or not all(isinstance(atom, On) for atom in place.atoms):
        return None
    if place.excludes(device):
        return not EQUALITIES[test.ops[0]]
    is_type = isinstance(left, ir.Name) or last_word(left) == "type"
    return EQUALITIES[test.ops[0]] if is_type and place == device else None


def placed(machine: Run, node: ir.Expression) -> Device | None:
    """Where a tensor is whose device, or the type of that, an expression gives, if that is known:
    by an attribute, or by the name under which a function keeps it."""
    asked = node.value if isinstance(node, ir.Attribute) and node.name == "type" else node
    if isinstance(asked, ir.Name) and machine.frame is not machine.top:
        value = machine.evaluate(asked)
        is_known = value.kind is Kind.DEVICE
    elif isinstance(asked, ir.Attribute) and asked.name == "device":
        value = machine.evaluate(asked.value)
        is_known = value.kind is Kind.TENSOR
    else:
        return None
    return value.device if is_known and value.device.arms is None and value.device.atoms else None


def is_index(machine: Run, test: ir.Expression) -> bool | None:
    """What `x.get_device() >= 0` gives. The index of the CPU, too, is taken for its device."""
    if not isinstance(test, ir.Compare) or len(test.ops) > 1 or test.ops[0] not in INDEX_TESTS:
        return None
    value, other = held(machine, test.left), test.comparators[0]
    is_asked = value is not None and value.kind is Kind.DEVICE
    is_number = isinstance(other, ir.Constant) and isinstance(other.value, int)
    return INDEX_TESTS[test.ops[0]] if is_asked and is_number else None


def where_asked(machine: Run, test: ir.Expression, then: Value, orelse: Value) -> Device | None:
    """`"cuda" if x.is_cuda else "cpu"` is where `x` is, though nobody knows where."""
    if not isinstance(test, ir.Attribute) or test.name != "is_cuda":
        return None
    there, here = as_device(then), as_device(orelse)
    if there is None or here is None or not there.is_accelerator or not here.is_cpu:
        return None
    asked = machine.evaluate(test.value)
    return asked.device if asked.kind in (Kind.TENSOR, Kind.UNKNOWN) else None
