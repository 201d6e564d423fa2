"""How many dimensions a tensor has."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from devlint.values.condition import Condition
from devlint.values.device import Device


@dataclass(frozen=True, slots=True)
class Dimensions:
    """A number of dimensions, from `least` to `most`; None: nobody knows how many at most.

    Of a container of tensors, what each of its items has.
    """

    least: int = 0
    most: int | None = None

    @property
    def is_scalar(self) -> bool | None:
        """Whether it is none; None: not known."""
        return True if self.most == 0 else False if self.least else None

    def join(self, other: Dimensions) -> Dimensions:
        """One of both."""
        if self.most is None or other.most is None:
            return of(min(self.least, other.least), None)
        return of(min(self.least, other.least), max(self.most, other.most))

    def changed(self, by: int) -> Dimensions:
        """As many more, or less."""
        most = None if self.most is None else max(self.most + by, 0)
        return of(max(self.least + by, 0), most)

    def at_least(self, least: int) -> Dimensions:
        return self if least <= self.least else of(least, self.most)


@cache
def of(least: int, most: int | None) -> Dimensions:
    """From `least` to `most`; what contradicts itself, as where code is wrong, has no end."""
    return Dimensions(least, None if most is not None and most < least else most)


def exactly(count: int) -> Dimensions:
    return of(count, count)


def broadcast(shapes: Iterable[Dimensions]) -> Dimensions:
    """What several tensors have that are broadcast against each other."""
    least, most = 0, 0
    is_open = False
    for each in shapes:
        least, most = max(least, each.least), max(most, each.most or 0)
        is_open = is_open or each.most is None
    return of(least, None if is_open else most)


UNRANKED, SCALAR, ARRAY = Dimensions(), Dimensions(0, 0), Dimensions(1)


class Sized(Protocol):
    """A value, by what its dimensions depend on."""

    device: Device
    dimensions: Dimensions

    @property
    def is_scalar(self) -> bool | None: ...

    @property
    def is_open(self) -> bool: ...


def joined_dimensions(one: Sized, other: Sized, test: Hashable | None) -> Dimensions:
    """What stands in for an argument of which nothing is known, under a test of whether that is
    there, has the dimensions of that. Where an option chooses between one number on the CPU and
    several, the program is meant for several, too."""
    told = test if isinstance(test, Condition) else None
    is_asked = told is not None and (told.subject is not None or told.asks_for_none)
    is_chosen = told is not None and told.is_option and one.device.is_cpu and other.device.is_cpu
    for this, that in ((one, other), (other, one)):
        is_number = is_chosen and bool(this.is_scalar) and that.is_scalar is False
        is_nothing = told is not None and this.is_open and not this.device.is_partly_known
        is_open = (is_asked and this.is_open) or is_nothing
        if is_number or (is_open and this.dimensions == UNRANKED):
            return that.dimensions
    return one.dimensions.join(other.dimensions)
