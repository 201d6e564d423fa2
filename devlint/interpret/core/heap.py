"""Names and objects: what the state of a program says of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from devlint.flow.execution import Execution
from devlint.flow.state import Cell, State
from devlint.interpret.core.object_ids import Child, Made
from devlint.interpret.core.scopes import Frame
from devlint.lower import ir
from devlint.values.alternatives import Either
from devlint.values.condition import Condition, upright
from devlint.values.device import ON_CPU, Device
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.tags import Tag
from devlint.values.value import NOTHING, Kind, Value

#: The cell of the default device that `set_default_device` and `with torch.device(..)` change.
DEFAULT = "default device"


class Lattice(Cell, Protocol):
    """What is in a cell: a value, or the instance that values refer to."""


UNKNOWN_INSTANCE = Instance()


@dataclass(frozen=True, slots=True, eq=False)
class Paused(Tag):
    """Of what a generator yields: the default device there, where one is set; and what the
    generator of a context manager has written by its end since then."""

    default: Lattice | None
    rest: Mapping[Hashable, Lattice]


def rest_of(frame: Frame, before: State[Lattice]) -> dict[Hashable, Lattice]:
    """What a generator has written by its end that it had not written by its last `yield`."""
    if len(frame.ends) != 1 or frame.paused is None:
        return {}
    first, last = frame.paused.since(before)[0], frame.ends[0][0].since(before)[0]
    return {
        key: cell
        for key, cell in last.items()
        if first.get(key) is not cell and not (isinstance(key, tuple) and key[0] is frame)
    }


class Memory(Execution[Lattice]):
    """Values by the names of the frame that runs, and instances by their keys."""

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self.frame = frame
        #: The names of modules that the running call has read.
        self.read: set[tuple[Frame, str]] = set()
        #: What the program itself had done when it called functions last, those that came of such
        #: a call included; and when it made the call that is running.
        self.called: dict[ir.Node, State[Lattice]] = {}
        self.calling: State[Lattice] | None = None
        #: Keys of all instances ever stored: others need not be looked for.
        self.objects: set[Hashable] = set()
        #: Of those, what stands for one of several objects, in the order they came.
        self.choices: dict[Either, None] = {}
        #: Of those, what others hold.
        self.parts: dict[Hashable, list[Child]] = {}
        #: What is known of the parts of an instance, and what two have in common under a test, by
        #: their addresses, which stay theirs as long as they are kept here.
        self._parts: dict[int, tuple[Instance, Instance]] = {}
        self._joined: dict[tuple[int, int, Condition | None], tuple[Instance, ...]] = {}

    @property
    def top(self) -> Frame:
        """The frame of the module whose code runs."""
        return self.frame.top

    def lookup(self, name: str) -> Value | None:
        found = self.bound(name)
        return None if found is None else found[1]

    def bound(self, name: str) -> tuple[Hashable, Value] | None:
        """The cell of a name, and what it holds."""
        frame: Frame | None = self.frame
        if name in self.frame.outer_names:
            frame = self.frame.outer_names[name]
        state = self.state
        assert state is not None
        while frame is not None:
            if name in frame.names:
                cell = (frame, name)
                value = state.get(cell)
                if value is not None:
                    if frame.parent is None:
                        self.read.add(cell)
                    return cell, value  # type: ignore[return-value]  # `cast` would be called.
            frame = frame.parent
            while frame is not None and frame.is_class_body:
                frame = frame.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        frame = self.frame.outer_names.get(name, self.frame)
        frame.names.add(name)
        self.here().put((frame, name), value)

    def instance(self, ref: Hashable) -> Instance:
        """What is known of an object; a part of an unknown one is where the whole is."""
        if ref is None:
            return UNKNOWN_INSTANCE
        found = self.state.get(ref) if ref in self.objects and self.state else None
        if found is not None:
            return found  # type: ignore[return-value]
        if isinstance(ref, Either):
            return self._one_of(self.instance(ref.one), self.instance(ref.other), ref.test)
        if isinstance(ref, Child):
            parent = ref.parent
            while isinstance(parent, Child) and parent not in self.objects:
                parent = parent.parent
            whole = self.instance(parent)
            if whole is UNKNOWN_INSTANCE:
                return whole
            return self._part_of(whole)
        return UNKNOWN_INSTANCE

    @property
    def is_equipped(self) -> bool:
        """Whether a test on the way here has found an accelerator."""
        return any(test.finds_accelerator(is_so) for test, is_so in self.conditions())

    def conditions(self) -> Iterator[tuple[Condition, bool]]:
        """The conditions of the tests on the way here, and how they have come out."""
        for test, truth in self.here().decisions():
            if isinstance(test, Condition):
                yield test, truth

    def of_either(self, value: Value, use: Callable[[Value], Value]) -> Value | None:
        """What a use gives of one of two objects that a test tells apart, to neither of which
        anything was done since; of the one, where the test has come out on the way here. None of
        what is a single object."""
        ref = value.ref
        if not isinstance(ref, Either) or ref.test is None or self.has_instance(ref):
            return None
        told = self.here().decision(ref.test)
        if told is not None:
            return use(replace(value, ref=ref.one if upright(told)[1] else ref.other))
        one = use(replace(value.given(ref.test, True), ref=ref.one))
        return one.join(use(replace(value.given(ref.test, False), ref=ref.other)), ref.test)

    def _part_of(self, whole: Instance) -> Instance:
        """What is known of an unknown part, the same one each time: others are found by it."""
        known = self._parts.get(id(whole))
        if known is None:
            part = Instance(device=whole.device, origin=whole.origin, move=whole.move)
            known = self._parts[id(whole)] = (part, whole)
        return known[0]

    def _one_of(self, one: Instance, other: Instance, test: Condition | None) -> Instance:
        """What is known of an object that is one of two: it is asked for again and again."""
        if one is other:
            return one
        key = (id(one), id(other), test)
        known = self._joined.get(key)
        if known is None:
            known = self._joined[key] = (one.join(other, test), one, other)
        return known[0]

    def instance_at(self, state: State[Lattice], ref: Hashable) -> Instance:
        """What was known of an object in another state."""
        here, self.state = self.state, state
        try:
            return self.instance(ref)
        finally:
            self.state = here

    def has_instance(self, ref: Hashable) -> bool:
        return ref in self.objects and self.here().get(ref) is not None

    def key(self, node: ir.Node) -> Hashable:
        """The key of what is made at a node, here."""
        return Made(node, self.frame.path) if self.frame.path else node

    def make(self, node: ir.Node, instance: Instance, kind: Kind = Kind.UNKNOWN) -> Value:
        """A new object made at a node."""
        return self.put(self.key(node), instance, kind)

    def put(self, ref: Hashable, instance: Instance, kind: Kind = Kind.UNKNOWN) -> Value:
        """A new object of this key, which has nothing of an earlier one that a loop has made."""
        self.objects.add(ref)
        self.here().put(ref, instance)
        if ref in self.parts:
            self._renew(ref, Instance(device=instance.device, origin=instance.origin))
        return Value(kind, ref=ref)

    def _renew(self, whole: Hashable, instance: Instance) -> None:
        for part in self.parts.get(whole, ()):
            self.here().put(part, instance)
            self._renew(part, instance)

    def store(self, ref: Hashable, instance: Instance) -> None:
        if ref is None:
            return
        is_new = not self.has_instance(ref)
        if is_new and self.instance(ref) == UNKNOWN_INSTANCE:
            self.here().put_first(ref, UNKNOWN_INSTANCE)
        if isinstance(ref, Child) and ref not in self.objects:
            self.parts.setdefault(ref.parent, []).append(ref)
        self.objects.add(ref)
        if isinstance(ref, Either):
            self.choices[ref] = None
        self.here().put(ref, instance)
        if is_new and isinstance(ref, Child):
            whole = self.instance(ref.parent)
            self.store(ref.parent, whole.holding(ref.key, Value(ref=ref)))

    def default_device(self, node: ir.Node) -> tuple[Device, Origin]:
        """Where a factory that honours the default device makes its tensors."""
        value = self.here().get(DEFAULT)
        if isinstance(value, Value) and value.kind is Kind.DEVICE:
            told = f"made on the default device, {value.device.told}, here"
            return value.device, Origin(node, told, self.frame.path)
        return ON_CPU, self.made_on_cpu(node)

    def made_on_cpu(self, node: ir.Node) -> Origin:
        return Origin(node, "made on the CPU here", self.frame.path)

    def widened(self, value: Lattice) -> Lattice:
        if isinstance(value, Value):
            return NOTHING if value.kind is Kind.CONSTANT else replace(value, device=Device())
        if isinstance(value, Instance):
            return replace(value, device=Device(), attaches=())
        return value
