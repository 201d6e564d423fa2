"""Tags: what an analysis has attached to a value or an object; no other sees or loses it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TypeVar

from devlint.values.condition import Condition
from devlint.values.device import Device
from devlint.values.origin import Origin


class Tag:
    """A value or object has at most one of each type."""

    __slots__ = ()

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag | None:
        """What holds of either of two values, the other of which has `other`, of the same type,
        or None."""
        return self if self == other else None

    def given(self, test: Hashable, truth: bool) -> Tag:
        """What holds once a test is known to have come out in one way."""
        return self

    def escaped(self) -> Tag | None:
        """What holds of an object after external code got hold of it."""
        return self


class Lasting(Tag):
    """What holds of either of two objects if it holds of one."""

    __slots__ = ()

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag | None:
        return self


class Traced(Lasting):
    """Of what is followed into each call that it is given to, whatever that has to do with
    devices."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Empty(Tag):
    """Of a tensor that was made without elements: its first size is 0."""


@dataclass(frozen=True, slots=True)
class Apart(Tag):
    """Of what an operation gives whose operands are on different devices: it raises, and what is
    computed from that is nowhere."""


@dataclass(frozen=True, slots=True)
class Unset(Tag):
    """Of what begins as None, and anybody may have set since: where a test asks if it has been, it
    is what is made for want of it."""


@dataclass(frozen=True, slots=True)
class NoTensor(Tag):
    """Of a value that a test has shown to be no tensor: what it holds is on `device`."""

    device: Device


@dataclass(frozen=True, slots=True)
class Together(Tag):
    """Of a tuple or list of tensors, all on one device: which, and what put the first there."""

    device: Device
    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PerhapsNone(Lasting):
    """Of a value that is None on some path."""


@dataclass(frozen=True, slots=True)
class Unfollowed(Lasting):
    """Of what a call in view gave that a budget left out, and of an object that it was a method of:
    not even a name says what that is, or what else the object holds."""


@dataclass(frozen=True, slots=True)
class ParameterName(Lasting):
    """Of the name of a parameter or a buffer, and of a dict that has something for each of them."""


class AllParts(Lasting):
    """Of a module that stands for all of its parts, where those are asked for one by one."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class MakesItems(Lasting):
    """Of a dict that has something new where something is asked for that it lacks: how that is
    made."""

    maker: Hashable


@dataclass(frozen=True, slots=True)
class Placing(Tag):
    """Of a module that sends its inputs where it is (`DistributedDataParallel`); `unless` a test
    holds, and then is no such wrapper."""

    unless: Condition | None = None

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag | None:
        if other is not None:
            return self if self == other else Placing()
        if self.unless is None and isinstance(test, Condition):
            return Placing(test.negated())
        return self


class ToldDevice(Lasting):
    """Of what code out of view has made that was told a device: it may use it for its inputs."""

    __slots__ = ()


class MadeOnCpu(Lasting):
    """Of what code out of view has made of tensors on the CPU: that is there, too, as a rule."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class DeviceIndex(Tag):
    """Of a device: the number that `x.get_device()` gave at a node, which is -1 for the CPU."""

    node: Hashable


Tags = tuple[Tag, ...]
T = TypeVar("T", bound=Tag)


def tag_of(tags: Tags, kind: type[T]) -> T | None:
    for each in tags:
        if each.__class__ is kind:
            return each
    return None


def tagged(tags: Tags, tag: Tag) -> Tags:
    """The tags with `tag` in the place of any of its type."""
    return (*(each for each in tags if each.__class__ is not tag.__class__), tag)


def untagged(tags: Tags, kind: type[Tag]) -> Tags:
    return tuple(each for each in tags if each.__class__ is not kind)


def joined_tags(one: Tags, other: Tags, test: Hashable | None = None) -> Tags:
    if one == other:
        return one
    found = [each.join(tag_of(other, each.__class__), test) for each in one]
    if own := [each for each in other if tag_of(one, each.__class__) is None]:
        opposite = test.negated() if isinstance(test, Condition) else test
        found += [each.join(None, opposite) for each in own]
    return tuple(each for each in found if each is not None)


def escaped_tags(tags: Tags) -> Tags:
    found = [each.escaped() for each in tags]
    return tuple(each for each in found if each is not None)


def is_void(tags: Tags, test: Hashable | None) -> bool:
    """Whether a value has nothing in it that another path could meet: what was made without
    elements, what never comes to be, and what a test makes up for if it is missing."""
    is_asked = isinstance(test, Condition) and test.asks_for_want
    voids = (Empty, Apart, Unset) if is_asked else (Empty, Apart)
    return any(isinstance(each, voids) for each in tags)
