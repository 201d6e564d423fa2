"""Values: what is known of what an expression gives."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeVar

from devlint.values.alternatives import ALTERNATIVES, either
from devlint.values.condition import SILENT, Condition, Sense, joined_flags
from devlint.values.device import ON_CPU, ON_CUDA, Device, are_of_purposes, choice, named
from devlint.values.device import UNKNOWN as UNKNOWN_DEVICE
from devlint.values.dimensions import UNRANKED, Dimensions, joined_dimensions
from devlint.values.origin import Origin, parted
from devlint.values.payload import Constant, Payload
from devlint.values.several_accelerators import last_accelerator
from devlint.values.source import Factory, PlainAttribute, Source, is_stacked
from devlint.values.tags import (
    NoTensor,
    PerhapsNone,
    Tag,
    Tags,
    Together,
    is_void,
    joined_tags,
    tag_of,
    tagged,
    untagged,
)

T = TypeVar("T", bound=Tag)


class Kind(Enum):
    #: Members are singletons; hashing their names takes twenty times as long.
    __hash__ = object.__hash__

    UNKNOWN = "unknown"
    #: What a function gives that is running: nothing that its other returns do not give.
    NEVER = "never"
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


#: Kinds whose values stay of use when they are joined with others of their kind.
DEVICE_BOUND = frozenset({Kind.TENSOR, Kind.MODULE, Kind.GENERATOR, Kind.DEVICE, Kind.CONTAINER})
#: Those of which each that a value may be can be called.
CALLABLE = frozenset({Kind.IMPORTED, Kind.FUNCTION, Kind.CLASS, Kind.METHOD})


@dataclass(frozen=True, slots=True)
class OneOf(Payload):
    """Of a value that is one of several classes and functions, the `values`."""

    values: tuple[Value, ...]


@dataclass(slots=True, unsafe_hash=True)
class Value:
    """Nothing writes to a value; it is not frozen because that doubles what making one costs, nor
    are the other records that a run makes by the thousand.

    `device` is where a tensor or generator is, and what a device value names.
    `ref` is the key of its `Instance` in the state, for what has attributes, items or moves.
    `payload` depends on the kind: a constant, a condition, a dotted name, a function, a class, a
    method with its receiver, the role of an object. `tags` are what analyses have attached.
    """

    kind: Kind = Kind.UNKNOWN
    device: Device = UNKNOWN_DEVICE
    dimensions: Dimensions = UNRANKED
    ref: Hashable = None
    payload: Payload | Constant = None
    origin: Origin | None = field(default=None, compare=False)
    tags: Tags = ()

    def tag(self, kind: type[T]) -> T | None:
        return tag_of(self.tags, kind) if self.tags else None

    def tagged(self, tag: Tag) -> Value:
        return replace(self, tags=tagged(self.tags, tag))

    def untagged(self, kind: type[Tag]) -> Value:
        return replace(self, tags=untagged(self.tags, kind)) if self.tags else self

    @property
    def is_scalar(self) -> bool | None:
        """Whether it is a tensor without dimensions; None: not known."""
        return self.dimensions.is_scalar

    @property
    def source(self) -> Source | None:
        """What kind of thing put it where it is, as far as that is known."""
        return None if self.origin is None else self.origin.source

    def join(self, other: Value, test: Hashable | None = None) -> Value:
        if self is other or self == other or other.kind is Kind.NEVER:
            return self
        if self.kind is Kind.NEVER:
            return other
        if other.is_none:
            return self.beside_none(self.device, UNKNOWN_DEVICE, test)
        if self.is_none:
            return other.beside_none(UNKNOWN_DEVICE, other.device, test)
        if other.device.is_known and self.is_no_tensor:
            return other
        if self.device.is_known and other.is_no_tensor:
            return self
        if (self.tags or other.tags) and is_void(self.tags, test) is not is_void(other.tags, test):
            return other if is_void(self.tags, test) else self  # A placeholder, or what raises.
        if (flag := joined_flags(self.payload, other.payload, test)) is not None:
            return Value(Kind.CONDITION, payload=flag)
        for join in (joined_device, joined_type, joined_list):
            if (both := join(self, other, test)) is not None:
                return both
        is_alike = self.kind is other.kind and self.payload == other.payload
        return Value(
            kind=self.kind if is_alike else joined_kind(self, other),
            device=self.device.join(other.device, test if isinstance(test, Condition) else None),
            dimensions=joined_dimensions(self, other, test),
            ref=either(self.ref, other.ref, test),
            payload=self.payload if is_alike else joined_payload(self, other),
            origin=parted(first_accelerated(self, other), self.origin, other.origin, test),
            tags=joined_tags(self.tags, other.tags, test) if self.tags or other.tags else (),
        )

    def beside_none(self, then: Device, orelse: Device, test: Hashable | None) -> Value:
        """What is None on the other of two paths: on its own it is where it is, if the test between
        them tells devices apart."""
        if isinstance(test, Condition) and test.senses != SILENT:
            return replace(self, device=then.join(orelse, test)).tagged(PerhapsNone())
        return self.tagged(PerhapsNone())

    @property
    def is_none(self) -> bool:
        """The constant None, whatever is noted of it."""
        return self.kind is Kind.CONSTANT and self.payload is None

    @property
    def is_number(self) -> bool:
        """A plain number, which meets tensors of any device."""
        is_literal = self.kind is Kind.CONSTANT and isinstance(self.payload, (int, float))
        return is_literal or self.kind is Kind.NUMBER

    @property
    def is_open(self) -> bool:
        """Whether nothing is known of it, but where it is, if that is where an argument is."""
        return self.kind is Kind.UNKNOWN or self.device.is_like

    @property
    def is_no_tensor(self) -> bool:
        """Whether where it is joined with a tensor, the tensor is all that matters."""
        return self.is_number or self.tag(NoTensor) is not None

    def depends(self) -> bool:
        is_parted = self.origin is not None and self.origin.arms is not None
        return is_parted or self.device.test is not None

    def tests(self) -> Iterator[Hashable]:
        return self.device.tests()

    def is_missing(self, key: Hashable, test: Hashable, truth: bool) -> bool:
        return False

    def forgotten(self) -> Value:
        return NOTHING

    def left(self, after: Value) -> bool:
        return self.device.excludes(after.device)

    def given(self, test: Hashable, truth: bool) -> Value:
        assert isinstance(test, Condition)
        if test.subject is self:
            narrowed = test.narrowed[0 if test.upright(truth)[1] else 1]
            assert isinstance(narrowed, Value)
            return narrowed
        if not self.device.atoms and self.device.test is None:
            return self
        device = self.device.given(test, truth)
        origin = None if self.origin is None else self.origin.given(test, truth)
        if device is self.device and origin is self.origin:
            return self
        return replace(self, device=device, origin=origin)


def joined_kind(one: Value, other: Value) -> Kind:
    """What was moved on one path, out of a batch that a loader has stacked, is a tensor."""
    if one.kind is other.kind and one.kind in DEVICE_BOUND:
        return one.kind
    if Kind.TENSOR in (one.kind, other.kind) and any(is_stacked(v.source) for v in (one, other)):
        return Kind.TENSOR
    return Kind.NUMBER if one.is_number and other.is_number else Kind.UNKNOWN


def joined_payload(one: Value, other: Value) -> Payload | Constant:
    """What is a parameter on one path, and nothing in particular on the other, is taken for one,
    but for a tensor that is made there."""
    payloads = (one.payload, other.payload)
    if PARAMETER in payloads and all(each in (PARAMETER, None) for each in payloads):
        others = [each for each in (one, other) if each.payload != PARAMETER]
        is_made = any(isinstance(each.source, (Factory, PlainAttribute)) for each in others)
        return None if is_made else PARAMETER
    values = tuple(dict.fromkeys((*callables(one), *callables(other))))
    is_whole = bool(callables(one) and callables(other))
    return OneOf(values) if is_whole and len(values) <= ALTERNATIVES else None


def callables(value: Value) -> tuple[Value, ...]:
    """The classes and functions that a value may be; none if it may be something else."""
    if isinstance(value.payload, OneOf):
        return value.payload.values
    return (value,) if value.kind in CALLABLE else ()


def first_accelerated(one: Value, other: Value) -> Origin | None:
    """The one that explains an accelerator, else that which knows more, but of a number alone."""
    if one.device.may_accelerate is not other.device.may_accelerate:
        return (one if one.device.may_accelerate else other).origin or one.origin or other.origin
    is_number = one.is_scalar and other.is_scalar is False and other.source is not None
    knows_more = one.source is not None and not is_number
    return one.origin if knows_more or other.origin is None else other.origin


def as_device(value: Value) -> Device | None:
    """The device that a value names, if it is one: a device or a string such as `cuda:0`."""
    if value.kind is Kind.DEVICE:
        return value.device
    if value.kind is Kind.CONSTANT and isinstance(value.payload, str):
        return named(value.payload)
    return None


def joined_device(one: Value, other: Value, test: Hashable | None) -> Value | None:
    """Two device values: one on an accelerator and one not is a choice at run time; of two by their
    numbers it matters which. What may be a device or another object is not known."""
    first, second = as_device(one), as_device(other)
    if first is None or second is None:
        rest = other if one.kind is Kind.DEVICE else one
        is_other = rest.ref is not None and not rest.device.is_known
        return Value(Kind.DEVICE) if is_other and Kind.DEVICE in (one.kind, other.kind) else None
    condition = test if isinstance(test, Condition) else None
    is_unclear = condition is not None and Sense.UNCLEAR in condition.senses
    if not first.is_known or not second.is_known:
        device = UNKNOWN_DEVICE
    elif condition is not None and condition.asks_argument and are_of_purposes(first, second):
        device = first.join(second, condition)
    elif first.is_accelerator != second.is_accelerator:
        device = choice(first, second, None if is_unclear else condition)
    else:
        are_numbered = None not in (last_accelerator(first), last_accelerator(second))
        device = first.join(second, condition if are_numbered and not is_unclear else None)
    role = one.payload if one.kind is other.kind and one.payload == other.payload else None
    return Value(Kind.DEVICE, device, payload=role, origin=first_accelerated(one, other))


def joined_type(one: Value, other: Value, test: Hashable | None) -> Value | None:
    """`torch.cuda.FloatTensor if cuda else torch.FloatTensor`, by the name of that on the CPU."""
    if not one.kind is other.kind is Kind.IMPORTED or not str(one.payload).endswith("Tensor"):
        return None
    first, second = str(one.payload), str(other.payload)
    plain, cuda = (second, first) if first.startswith("torch.cuda.") else (first, second)
    if cuda != plain.replace("torch.", "torch.cuda.", 1) or one.device.is_known:
        return None
    places = (ON_CUDA, ON_CPU) if first == cuda else (ON_CPU, ON_CUDA)
    is_told = isinstance(test, Condition) and {*test.senses} == {Sense.NOTHING, Sense.CPU}
    if not isinstance(test, Condition) or not is_told or "is_cuda" in str(test.key):
        return None  # Where another tensor is says nothing of the devices chosen at run time.
    return Value(Kind.IMPORTED, choice(*places, test), payload=plain)


def joined_list(one: Value, other: Value, test: Hashable | None) -> Value | None:
    """A tuple or a list of tensors that are together, or one tensor: known is where they are."""
    first, second = (each.tag(Together) or each for each in (one, other))
    plain = one if first is one else other
    is_put = plain.kind is Kind.UNKNOWN and plain.device.is_accelerator
    if (first is one) is (second is other) or not (is_put or plain.kind is Kind.TENSOR):
        return None
    device = first.device.join(second.device, test if isinstance(test, Condition) else None)
    return Value(device=device, origin=parted(first.origin, first.origin, second.origin, test))


NOTHING = Value()
#: The payload of a parameter, or a buffer, of a module.
PARAMETER = "parameter"
NEVER = Value(Kind.NEVER)
#: The constant None.
NONE = Value(Kind.CONSTANT)
