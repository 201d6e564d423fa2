"""Instances: the state of an object that values refer to, modules above all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import is_
from typing import NamedTuple, TypeAlias, TypeVar

from devlint.lower import ir
from devlint.values.condition import SILENT, Condition
from devlint.values.device import UNKNOWN, Device
from devlint.values.origin import Origin, parted
from devlint.values.tags import Tag, Tags, joined_tags, tag_of, tagged
from devlint.values.value import NONE, Value


class ItemKey(NamedTuple):
    """The key of an item of a container, at a constant index or made by the node `at`."""

    at: Hashable


class Unplaced(NamedTuple):
    """What the key of an item is made from that is one of several at no known index."""

    number: int


class Sought(NamedTuple):
    """What the key of the item is made from that was put in last, at an index that is known by
    what it is written as alone, in the run of a module."""

    key: Hashable
    module: ir.Module


#: The key of any item of a container.
ANY = ItemKey(None)
#: What an object holds something under: an attribute by its name, an item by its key.
Key: TypeAlias = str | ItemKey


@dataclass(frozen=True, slots=True)
class Present(Tag):
    """Of what a container holds only where a test came out as `truth`; without a test, where one
    did that comes out anew in each round of a loop."""

    test: Condition | None = None
    truth: bool = True

    def join(self, other: Tag | None, test: Hashable | None = None) -> Tag | None:
        if self.test is None or other == self or test == self.test:
            return self
        return other if isinstance(other, Present) and other.test is None else None

    def excludes(self, other: Present) -> bool:
        """Whether no run has both."""
        is_told = self.test is not None and self.test == other.test
        return is_told and self.truth is not other.truth


NO_ATTRIBUTES: Mapping[str, Value] = {}
NO_ITEMS: Mapping[ItemKey, Value] = {}
T = TypeVar("T", bound=Tag)
K = TypeVar("K", bound=Hashable)
TagType: TypeAlias = type[T]


@dataclass(frozen=True, slots=True)
class Attach:
    """A submodule or parameter assigned to a module that had been moved by then.

    `site` is where the author would edit (the assignment, or the call that leads to it), `key` that
    of the attribute or item, `name` how to call it, `value` what was attached, `where` and `move`
    the module's device and last move.

    `movable` is what the same move, written behind it, would take to the module's device, None
    where it would not; with an `assignment` inside a call it is the module that the call is given.
    """

    site: ir.Node
    key: Key
    name: str
    value: Value
    where: Device
    move: Origin
    assignment: ir.Node | None = None
    movable: ir.Expression | None = None


@dataclass(slots=True)
class Instance:
    """Never written to, as values are.

    `attributes` are those that the program gave it, `items` what it contains; `ANY` is any other
    item. `tags` are what the engine and analyses have noted of it.

    `device` is where its parameters are, `move` the last move. `holds_state`: it has parameters
    or buffers; None where that is not known. `type` is the class or the fact it was made by.
    `attaches` are those since the last move that no later move has reached.
    """

    type: object = None
    holds_state: bool | None = None
    device: Device = UNKNOWN
    origin: Origin | None = field(default=None, compare=False)
    move: Origin | None = None
    attributes: Mapping[str, Value] = field(default_factory=lambda: NO_ATTRIBUTES)
    items: Mapping[ItemKey, Value] = field(default_factory=lambda: NO_ITEMS)
    attaches: tuple[Attach, ...] = ()
    tags: Tags = ()

    def tag(self, kind: TagType[T]) -> T | None:
        return tag_of(self.tags, kind) if self.tags else None

    def tagged(self, tag: Tag) -> Instance:
        return replace(self, tags=tagged(self.tags, tag))

    @property
    def contents(self) -> Iterator[tuple[Key, Value]]:
        """All that it holds, by attribute and by item."""
        yield from self.attributes.items()
        yield from self.items.items()

    def held(self, key: Key) -> Value | None:
        if isinstance(key, str):
            return self.attributes.get(key)
        return self.items.get(key)

    def holding(self, key: Key, value: Value) -> Instance:
        """The same with something else under a key."""
        if isinstance(key, str):
            return self._with({**self.attributes, key: value}, self.items)
        return self._with(self.attributes, {**self.items, key: value})

    def with_each(self, change: Callable[[Value], Value]) -> Instance:
        """The same with all that it holds changed; the same one if none of that changes."""
        attributes = changed(self.attributes, change)
        items = changed(self.items, change)
        if attributes is self.attributes and items is self.items:
            return self
        return self._with(attributes, items)

    def _with(self, attributes: Mapping[str, Value], items: Mapping[ItemKey, Value]) -> Instance:
        """The same with other contents, in a third of the time that `replace` takes."""
        return Instance(
            self.type,
            self.holds_state,
            self.device,
            self.origin,
            self.move,
            attributes,
            items,
            self.attaches,
            self.tags,
        )

    def join(self, other: Instance, test: Hashable | None = None) -> Instance:
        if self is other or self == other:
            return self
        condition = test if isinstance(test, Condition) else None
        first = self.accelerated_of(other)
        return Instance(
            type=self.type if self.type == other.type else None,
            holds_state=self.holds_state if self.holds_state == other.holds_state else None,
            device=self.device.join(other.device, condition),
            origin=parted(first.origin, self.origin, other.origin, test),
            move=parted(first.move, self.move, other.move, test),
            attributes=joined_attributes(self.attributes, other.attributes, test),
            items=joined_items(self.items, other.items, test),
            attaches=tuple(dict.fromkeys(self.attaches + other.attaches)),
            tags=joined_tags(self.tags, other.tags, test) if self.tags or other.tags else (),
        )

    def accelerated_of(self, other: Instance) -> Instance:
        """Of two states, the one that may be on an accelerator."""
        return self if self.device.may_accelerate or not other.device.may_accelerate else other

    def depends(self) -> bool:
        is_parted = self.device.test is not None or bool(self.attaches)
        return is_parted or any(value.depends() for value in self.attributes.values())

    def tests(self) -> Iterator[Hashable]:
        yield from self.device.tests()
        for value in self.attributes.values():
            yield from value.tests()

    def forgotten(self) -> Instance:
        return Instance()

    def left(self, after: Instance) -> bool:
        return self.device.excludes(after.device) or any(
            value.left(after.attributes[key])
            for key, value in self.attributes.items()
            if key in after.attributes
        )

    def is_missing(self, key: Hashable, test: Hashable, truth: bool) -> bool:
        assert isinstance(test, Condition)
        return key in test.objects and test.narrowed[0 if test.upright(truth)[1] else 1] == NONE

    def given(self, test: Hashable, truth: bool) -> Instance:
        is_open = not self.device.atoms and self.device.test is None
        has_parts = self.attaches or self.attributes or self.items or self.tags
        if is_open and not has_parts:
            return self
        assert isinstance(test, Condition)
        device = self.device.given(test, truth)
        attaches = tuple(
            attach for attach in self.attaches if attach.where.given(test, truth).may_accelerate
        )
        attributes = changed(self.attributes, lambda value: value.given(test, truth))
        items = self.items
        if items and (test.is_option or test.senses != SILENT):
            items = changed(items, lambda value: value.given(test, truth))
        tags = tuple(tag.given(test, truth) for tag in self.tags) if self.tags else ()
        is_same = attributes is self.attributes and items is self.items
        is_same = is_same and all(map(is_, tags, self.tags))
        if is_same and device is self.device and len(attaches) == len(self.attaches):
            return self
        return replace(
            self,
            device=device,
            origin=self.origin and self.origin.given(test, truth),
            move=self.move and self.move.given(test, truth),
            attaches=attaches,
            attributes=attributes,
            items=items,
            tags=tags,
        )


def changed(held: Mapping[K, Value], change: Callable[[Value], Value]) -> Mapping[K, Value]:
    found: dict[K, Value] = {}
    for key, value in held.items():
        if (new := change(value)) is not value:
            found[key] = new
    return {**held, **found} if found else held


def joined_attributes(
    one: Mapping[str, Value], other: Mapping[str, Value], test: Hashable | None
) -> Mapping[str, Value]:
    """What only one of two states has is as it is there."""
    if one == other:
        return one
    joined = {**other, **one}
    both = one.keys() & other.keys()
    joined |= {k: one[k].join(other[k], test) for k in both if one[k] is not other[k]}
    return joined


def joined_items(
    one: Mapping[ItemKey, Value], other: Mapping[ItemKey, Value], test: Hashable | None
) -> Mapping[ItemKey, Value]:
    """An item that only one of two states has may be any of the other's."""
    if one == other:
        return one
    items = {k: v if k in one else held_if(test, False, v) for k, v in other.items()}
    for key, value in one.items():
        if key in items:
            if value is not items[key]:
                items[key] = value.join(items[key], test)
        elif key != ANY:
            items[key] = (
                value.join(other[ANY], test) if ANY in other else held_if(test, True, value)
            )
        else:
            items |= {k: v.join(value) for k, v in items.items()}
            items[ANY] = value
    return items


def held_if(test: Hashable | None, truth: bool, value: Value) -> Value:
    """An item that a container has on one of two branches."""
    if not isinstance(test, Condition) or value.tag(Present) is not None:
        return value
    return value.tagged(Present(*test.upright(truth)))
