"""Instances: the state of an object that values refer to, modules above all."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from devlint.lower import ir
from devlint.values.condition import Condition
from devlint.values.device import UNKNOWN, Device
from devlint.values.value import Origin, Value

EMPTY: Mapping[Hashable, Value] = MappingProxyType({})


#: The key of any item of a container.
ANY: Hashable = ("item", None)


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
    key: Hashable
    name: str
    value: Value
    where: Device
    move: Origin
    assignment: ir.Node | None = None
    movable: ir.Expression | None = None


@dataclass(slots=True)
class Instance:
    """Never written to, as values are.

    `items` are attributes by name and items by `("item", key)`; `("item", None)` is any other.

    `device` is where its parameters are, `move` the last move. `holds_state`: it has parameters
    or buffers; None where that is not known. `type` is the class or the fact it was made by.
    `attaches` are those since the last move that no later move has reached.
    """

    type: object = None
    holds_state: bool | None = None
    device: Device = UNKNOWN
    origin: Origin | None = field(default=None, compare=False)
    move: Origin | None = None
    items: Mapping[Hashable, Value] = field(default_factory=lambda: EMPTY)
    attaches: tuple[Attach, ...] = ()

    def with_item(self, key: Hashable, value: Value) -> Instance:
        return Instance(
            self.type,
            self.holds_state,
            self.device,
            self.origin,
            self.move,
            {**self.items, key: value},
            self.attaches,
        )

    def join(self, other: Instance, test: Hashable | None = None) -> Instance:
        if self == other:
            return self
        condition = test if isinstance(test, Condition) else None
        items = dict(other.items)
        for key, value in self.items.items():
            if key in items:
                items[key] = value.join(items[key], test)
            elif key != ANY:
                items[key] = blurred(value, key, other)
            else:
                items |= {k: blurred(v, k, self) for k, v in items.items()}
                items[ANY] = value
        return Instance(
            type=self.type if self.type == other.type else None,
            holds_state=self.holds_state if self.holds_state == other.holds_state else None,
            device=self.device.join(other.device, condition),
            origin=self.accelerated_of(other).origin or self.origin or other.origin,
            move=self.accelerated_of(other).move or self.move or other.move,
            items=items,
            attaches=tuple(dict.fromkeys(self.attaches + other.attaches)),
        )

    def accelerated_of(self, other: Instance) -> Instance:
        """Of two states, the one that may be on an accelerator."""
        return self if self.device.may_accelerate or not other.device.may_accelerate else other

    def depends(self) -> bool:
        return self.device.test is not None or bool(self.attaches)

    def given(self, test: Hashable, truth: bool) -> Instance:
        if not self.device.atoms and self.device.test is None and not self.attaches:
            return self
        assert isinstance(test, Condition)
        device = self.device.given(test, truth)
        attaches = tuple(
            attach for attach in self.attaches if attach.where.given(test, truth).may_accelerate
        )
        if device is self.device and len(attaches) == len(self.attaches):
            return self
        return replace(self, device=device, attaches=attaches)


def blurred(value: Value, key: Hashable, other: Instance) -> Value:
    """An item that the other state has under no key of its own, but perhaps under any."""
    is_item = isinstance(key, tuple)
    return value.join(other.items[ANY]) if is_item and ANY in other.items else value
