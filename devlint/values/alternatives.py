"""Keys of objects that may be one of several."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import reduce
from typing import NamedTuple

from devlint.values.condition import Condition


class Either(NamedTuple):
    """The key of an instance that is one of two: `one` where `test` holds, if that tells them
    apart, a test that is not negated."""

    one: Hashable
    other: Hashable
    test: Condition | None = None


#: Of more objects than so many that it may be, a value is unknown.
ALTERNATIVES = 64


def either(one: Hashable, other: Hashable, test: Hashable | None = None) -> Hashable:
    """The key of an object that is one or the other, each of which may be several; of just two,
    the test tells which."""
    if one == other:
        return one
    if one is None or other is None:
        return None
    found = dict.fromkeys((*possible_objects(one), *possible_objects(other)))
    if sum(map(breadth, found)) > ALTERNATIVES:
        return None
    if isinstance(test, Condition) and [*found] == [one, other]:
        return Either(other, one, test.negated()) if test.is_negated else Either(one, other, test)
    return reduce(Either, found)


def breadth(ref: Hashable) -> int:
    """How many objects a key may stand for, by all that it is a part of."""
    while (whole := getattr(ref, "parent", None)) is not None:
        ref = whole
    return breadth(ref.one) + breadth(ref.other) if isinstance(ref, Either) else 1


def alternatives(ref: Hashable) -> tuple[Hashable, ...]:
    """The object, and all that it may be."""
    if not isinstance(ref, Either):
        return (ref,)
    return (ref, *alternatives(ref.one), *alternatives(ref.other))


def all_objects(refs: Iterable[Hashable]) -> dict[Hashable, None]:
    """The keys of all objects that some stand for, once each, in their order."""
    found = (each for ref in refs for each in alternatives(ref))
    return dict.fromkeys(each for each in found if each is not None)


def possible_objects(ref: Hashable) -> tuple[Hashable, ...]:
    """The objects that a key may stand for."""
    if not isinstance(ref, Either):
        return (ref,)
    return (*possible_objects(ref.one), *possible_objects(ref.other))


def objects_in_one(ref: Hashable) -> tuple[Hashable, ...]:
    """The objects that a key stands for in one run: all of those that no test tells apart, such as
    what a list holds."""
    if ref is None:
        return ()
    if not isinstance(ref, Either) or ref.test is not None:
        return (ref,)
    return (*objects_in_one(ref.one), *objects_in_one(ref.other))
