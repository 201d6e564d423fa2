"""Values: what is known of what an expression gives."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from enum import Enum

from devlint.lower import ir
from devlint.values.condition import Condition
from devlint.values.device import UNKNOWN as UNKNOWN_DEVICE
from devlint.values.device import Device, chosen, named


class Kind(Enum):
    UNKNOWN = "unknown"
    TENSOR = "tensor"
    MODULE = "module"
    GENERATOR = "generator"
    DEVICE = "device"
    CONSTANT = "constant"
    CONDITION = "condition"
    CONTAINER = "container"
    ARRAY = "array"
    NUMBER = "number"
    IMPORTED = "imported"
    FUNCTION = "function"
    CLASS = "class"
    METHOD = "method"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a device came from, and how to say so: "moved to `device` here"."""

    node: ir.Node
    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """`device` is where a tensor or generator is, and what a device value names.

    `ref` is the key of its `Instance` in the state, for what has attributes, items or moves.
    `detail` depends on the kind: a constant, a condition, a dotted name, a function, a class, the
    receiver and name of a method.
    """

    kind: Kind = Kind.UNKNOWN
    device: Device = UNKNOWN_DEVICE
    is_scalar: bool | None = None
    ref: Hashable = None
    detail: object = None
    origin: Origin | None = field(default=None, compare=False)

    def join(self, other: Value, test: Hashable | None = None) -> Value:
        if self == other:
            return self
        if NONE in (self, other):
            return other if self == NONE else self
        condition = test if isinstance(test, Condition) else None
        if (both := joined_device(self, other)) is not None:
            return both
        return Value(
            kind=self.kind if self.kind is other.kind else Kind.UNKNOWN,
            device=self.device.join(other.device, condition),
            is_scalar=self.is_scalar if self.is_scalar == other.is_scalar else None,
            ref=self.ref if self.ref == other.ref else None,
            detail=self.detail if self.detail == other.detail else None,
            origin=first_accelerated(self, other),
        )

    def given(self, test: Hashable, truth: bool) -> Value:
        if not self.device.atoms and self.device.test is None:
            return self
        assert isinstance(test, Condition)
        device = self.device.given(test, truth)
        return self if device is self.device else replace(self, device=device)


def first_accelerated(one: Value, other: Value) -> Origin | None:
    """Of two origins, the one that explains why the value may be on an accelerator."""
    if one.origin is None or (other.device.may_accelerate and not one.device.may_accelerate):
        return other.origin
    return one.origin


def as_device(value: Value) -> Device | None:
    """The device that a value names, if it is one: a device or a string such as `cuda:0`."""
    if value.kind is Kind.DEVICE:
        return value.device
    if value.kind is Kind.CONSTANT and isinstance(value.detail, str):
        return named(value.detail)
    return None


def joined_device(one: Value, other: Value) -> Value | None:
    """Two device values: one on an accelerator and one not is a choice at run time."""
    first, second = as_device(one), as_device(other)
    if first is None or second is None:
        return None
    if first.is_accelerator != second.is_accelerator:
        device = chosen("device")
    else:
        device = first.join(second)
    return Value(Kind.DEVICE, device, origin=first_accelerated(one, other))


NOTHING = Value()
NONE = Value(Kind.CONSTANT, detail=("None",))
