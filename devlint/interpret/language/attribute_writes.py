"""What the methods of a class leave in an object that nobody in view makes.

Any of them may run after any other. Moves of modules are not followed from one to the next: in
which order they come, only the object's owner knows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from devlint.interpret.core import class_summary, module_state
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Child
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.language.attribute_texts import called, moved, only_changed, places, renewed
from devlint.interpret.language.last_writes import (
    RESTORES,
    UNSET,
    assigned_at,
    either,
    either_content,
    is_loaded,
    last_write,
    loaded_like,
    restored,
)
from devlint.lower import ir
from devlint.queries.loop_moves import MOVES
from devlint.values.condition import Condition
from devlint.values.device import Device, Like
from devlint.values.instance import Instance, ItemKey
from devlint.values.value import NOTHING, PARAMETER, Kind, Value

#: What a method has all attributes by.
EVERY = frozenset({"__dict__", "setattr", "vars"})


class Held(NamedTuple):
    """An attribute in one state, what that value refers to, and the containers that this holds."""

    value: Value
    content: Instance | None
    inner: Mapping[Hashable, Instance]


class AttributeWrites:
    """The attributes of an object, `receiver`, as those of its methods leave them that have run."""

    def __init__(self, machine: Run, owner: ClassInfo, receiver: Value) -> None:
        self.machine, self.owner, self.receiver = machine, owner, receiver
        self.made = machine.here()
        self.examined: set[ir.Node] = set()
        self.methods = [n for name, n in class_summary.methods(owner).items() if name != "__init__"]
        self.makers = [each for each in owner.definitions if each.name == "__init__"]
        #: The names that any of them assigns.
        self.stored = machine.once(class_summary.stored, owner, owner)
        self.writers: list[ir.Def] = []
        #: What each attribute has been, as `__init__` made it first, by who has left it so.
        self.written: dict[str, dict[ir.Node | None, Held]] = {}
        self.before: dict[str, Held] = {}
        #: What each method has known of these when it ran.
        self.read: dict[ir.Node, dict[str, tuple[bool, list[Held]]]] = {}
        self.note(None)

    @cached_property
    def states(self) -> dict[Hashable, ir.Def]:
        """What the methods of a plain object are given that put back a state, and those."""
        own = [] if self.owner.is_module else self.methods
        restores = [each for each in own if each.name == RESTORES]
        return {given: each for each in restores for given in each.params[1:]}

    @cached_property
    def called(self) -> frozenset[str]:
        """The names of what may be a module: methods call it."""
        own = (self.machine.once(called, each, each) for each in self.owner.line)
        return frozenset().union(*own)

    @cached_property
    def moved(self) -> frozenset[str]:
        """The names under which any of them keeps what was there, where it has moved it."""
        own = (self.machine.once(moved, each, each) for each in self.owner.line)
        return frozenset().union(*own)

    @cached_property
    def moves_all(self) -> bool:
        """Whether any of them moves what there is, whatever it is called."""
        return any(
            not EVERY.isdisjoint(each.words) and not MOVES.isdisjoint(each.words)
            for each in self.methods
        )

    def begin(self, function: Function) -> None:
        """Let a method start from what `__init__` and others have left."""
        self.machine.state = self.made.fork()
        self.writers = [each for each in self.methods if self.is_writer(each)]
        instance = self.machine.instance(self.receiver.ref)
        found = {name: self.attribute(name, function.node) for name in self.changed()}
        attributes = {**instance.attributes, **found}
        if self.moves_all:
            attributes = {k: module_state.escaped_item(v) for k, v in attributes.items()}
        self.machine.store(self.receiver.ref, replace(instance, attributes=attributes))
        self.before = dict(self.attributes())
        self.read[function.node] = self.known_to(function)

    def end(self, function: Function) -> None:
        """A method has run."""
        self.examined.add(function.node)
        self.note(function.node)

    def again(self, methods: list[Function]) -> Iterator[Function]:
        """Those of the methods, which have run, that name attributes which others, or those of them
        that have run again, have left otherwise since."""
        return (each for each in methods if self.read[each.node] != self.known_to(each))

    def known_to(self, function: Function) -> dict[str, tuple[bool, list[Held]]]:
        """What others have left in the attributes that a method names, and that hold tensors, and
        whether that is all."""
        words = function.node.words if isinstance(function.node, ir.Def) else frozenset[str]()
        named = filter(self.is_of_tensors, sorted(words & self.written.keys()))
        left = {name: self.left(name, function.node) for name in named}
        known = {name: self.are_known(name, function.node) for name in left}
        return {name: (known[name], others) for name, others in left.items() if others}

    def left(self, name: str, reader: ir.Node) -> list[Held]:
        return [each for writer, each in self.written[name].items() if writer is not reader]

    def is_of_tensors(self, name: str) -> bool:
        first = self.first(name)
        return first.device.is_known or first.kind is Kind.CONTAINER

    def note(self, writer: ir.Node | None) -> None:
        """Take down what a method leaves: what it assigns, be it as unknown as before."""
        stored = writer.stores if isinstance(writer, ir.Def) else frozenset[str]()
        for name, held in self.attributes():
            if held != self.before.get(name) or name in stored:
                self.written.setdefault(name, {})[writer] = held

    def first(self, name: str) -> Value:
        return next(iter(self.written[name].values())).value

    def attributes(self) -> Iterator[tuple[str, Held]]:
        """Those that methods may assign, and containers, which they may fill."""
        state = self.machine.here()
        for name, value in self.machine.instance(self.receiver.ref).attributes.items():
            if name in self.stored or value.kind is Kind.CONTAINER:
                cell = state.get(value.ref)
                content = cell if isinstance(cell, Instance) else None
                refs = () if content is None else containers_in(content)
                cells = ((ref, state.get(ref)) for ref in refs)
                inner = {ref: cell for ref, cell in cells if isinstance(cell, Instance)}
                yield name, Held(self.own(value, name), content, inner)

    def changed(self) -> list[str]:
        """The attributes that writers assign, and the containers that methods may fill."""
        stored = frozenset().union(*(method.stores for method in self.writers))
        filled = {name for name in self.written if self.first(name).kind is Kind.CONTAINER}
        return sorted(self.written.keys() & (stored | filled))

    def is_writer(self, method: ir.Def) -> bool:
        """Whether a method is no part of `__init__`, or is told a device when that calls it."""
        return places(method) or not self.is_of_init(method)

    def attribute(self, name: str, reader: ir.Node) -> Value:
        """What an attribute may hold; nothing is known of it before all have run who assign it.

        Parameters stay parameters, which move with their module. What a method moves, and keeps,
        has been moved by the time that others use it.
        """
        may_be_renewed = self.first(name).kind in (Kind.TENSOR, Kind.CONTAINER)
        is_renewed = may_be_renewed and name in self.machine.once(renewed, reader)
        others = self.left(name, reader) if is_renewed else []
        held = others or [*self.written[name].values()]
        if len(held) > 1 and name in self.moved:
            held = held[1:]
        if held[0].value.payload == PARAMETER:
            return held[0].value
        if not self.are_known(name, reader if is_renewed else None) or any(
            self.is_movable(name, each) for each in held
        ):
            first = held[0].value
            unknown = UNSET if first.is_none else replace(NOTHING, ref=first.ref)
            return NOTHING if first.kind is Kind.CONTAINER else unknown
        held = with_loaded(held)
        if all(each.value.kind is Kind.CONTAINER for each in held):
            return self.container(name, held)
        value = either([each.value for each in held], self.last_write(name))
        if all(each.content is None or each.content.move is None for each in held):
            return value
        return replace(value, ref=self.content(name, held))

    def last_write(self, name: str) -> Condition | None:
        """The test of which method has written an attribute last, where that decides: `__init__`
        puts it somewhere, and no method is there to move it."""
        is_made = any(name in each.stores for each in self.makers)
        is_movable = any(name in each.stores and places(each) for each in self.methods)
        return last_write(self.owner, name) if is_made and not is_movable else None

    def are_known(self, name: str, reader: ir.Node | None) -> bool:
        """Whether all have run who assign an attribute; for one that makes it anew of itself,
        whether it is known what each of the others leaves."""
        writers = [each for each in self.writers if self.sets(each, name)]
        if reader is None:
            return all(map(self.has_run, writers))
        return all(each is reader or each in self.written[name] for each in writers)

    def sets(self, method: ir.Def, name: str) -> bool:
        """Whether a method assigns an attribute, rather than changes the tensor that it holds, or,
        as one of a base, makes what is missing."""
        first = self.first(name)
        is_changed = first.kind is Kind.TENSOR and name in self.machine.once(only_changed, method)
        is_missing = first.is_none and not self.is_own(method)
        return name in method.stores and not (is_changed or is_missing)

    def container(self, name: str, held: list[Held]) -> Value:
        """One container that stands for all that an attribute has held."""
        key = self.content(name, held)
        return held[0].value if key is None else replace(held[0].value, ref=key)

    def content(self, name: str, held: list[Held]) -> Hashable:
        """The key of one object that stands for all that an attribute has held."""
        key = Child(self.receiver.ref, name)
        inner: dict[Hashable, Instance] = {}
        found = [of_one(key, each, inner) for each in held if each.content is not None]
        contents = [each.with_each(lambda item: self.own(item, name)) for each in found]
        if not contents:
            return None
        for ref, content in inner.items():
            left = content.with_each(lambda item: self.own(item, name))
            self.machine.put(ref, left, Kind.CONTAINER)
        self.machine.store(key, either_content(contents, self.last_write(name)))
        return key

    def own(self, value: Value, name: str) -> Value:
        """What another method was given is, in this one, what the object holds."""
        likes = value.device.likes
        if not any(isinstance(atom.source, ir.Parameter) for atom in likes):
            return value
        key = Child(self.receiver.ref, name)
        atoms = value.device.atoms - {*likes} | {Like(key, f"self.{name}")}
        ref = key if isinstance(value.ref, ir.Parameter) else value.ref
        held = replace(value, device=Device(atoms), ref=ref)
        state = next(filter(None, (self.states.get(each.source) for each in likes)), None)
        if state is None:
            return held
        return restored(held, assigned_at(state, name), last_write(self.owner, name))

    def is_movable(self, name: str, held: Held) -> bool:
        """Whether it is, or may be, a module, which moves in place."""
        is_moved = held.content is not None and held.content.move is not None
        is_open = is_moved and name in self.called
        return is_open or module_state.is_module(self.machine, held.value)

    def has_run(self, method: ir.Def) -> bool:
        """Whether a method has left here what it leaves; those of bases have not."""
        is_called = method in self.machine.contexts and not places(method)
        return (is_called and self.is_own(method)) or method in self.examined

    def is_own(self, method: ir.Def) -> bool:
        return any(each.node is method for each in self.owner.methods.values())

    def is_of_init(self, method: ir.Def) -> bool:
        """Whether a method has run as a part of `__init__`."""
        contexts = self.machine.contexts.get(method, {}).values()
        return any(self.owner.node in way for ways in contexts for way in ways)


def with_loaded(held: list[Held]) -> list[Held]:
    """What an attribute has held; a file on the CPU beside containers is one, too."""
    first = next((each for each in held if each.value.kind is Kind.CONTAINER), None)
    if first is None:
        return held
    return [
        Held(first.value, loaded_like(first.content, each.value), {})
        if first.content is not None and is_loaded(each.value)
        else each
        for each in held
    ]


def containers_in(content: Instance) -> Iterator[Hashable]:
    held = (each for each in content.items.values() if each.kind is Kind.CONTAINER)
    return (each.ref for each in held if each.ref is not None)


def of_one(whole: Child, held: Held, inner: dict[Hashable, Instance]) -> Instance:
    """What an attribute has held, with one key for each of the containers in it, in whatever state;
    those become a part of what there is `inner` of the others."""
    assert held.content is not None
    keys = {ref: ref if is_part(whole, ref) else Child(whole, ItemKey(ref)) for ref in held.inner}
    for ref, content in held.inner.items():
        before = inner.get(keys[ref])
        inner[keys[ref]] = content if before is None else before.join(content)
    return held.content.with_each(lambda item: replace(item, ref=keys.get(item.ref, item.ref)))


def is_part(whole: Child, ref: Hashable) -> bool:
    return isinstance(ref, Child) and ref.parent == whole
