"""How a program loses the index of a device."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from devlint.api import (
    ON_CUDA,
    Analysis,
    Applying,
    Argument,
    AttributeGiven,
    ClassInfo,
    Condition,
    Kind,
    Like,
    Presumption,
    Problem,
    Run,
    Tag,
    Transferring,
    Value,
    class_summary,
    effect,
    ir,
    module_state,
    names_device_variable,
    on,
    path,
    upright,
    walk,
    written,
)

#: Methods by which a class says itself how it is moved.
OWN = frozenset({"to", "_apply", "cuda"})


@dataclass(frozen=True)
class Kept(Tag):
    """Of the device that an object has in an attribute."""

    name: str


class LostIndices(Analysis[Run]):
    """Reports what goes to a device that need not be the one where it belongs."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: The attributes of classes of which one use has been reported.
        self.told: set[tuple[ClassInfo, str]] = set()

    @on(AttributeGiven)
    def read(self, signal: AttributeGiven) -> Value | None:
        node, receiver = signal.node, self.run.frame.receiver
        if receiver is None or signal.whole.ref != receiver.ref:
            return None
        is_device = signal.value.kind is Kind.DEVICE or names_device_variable(node.name)
        return signal.value.tagged(Kept(node.name)) if is_device else None

    @on(Transferring)
    def transfer(self, signal: Transferring) -> None:
        call = signal.call
        self.place(call.node, call.arguments.get(0, "device"))
        is_bare = signal.device == ON_CUDA and not list(call.arguments)
        if is_bare and not signal.value.device.is_accelerator:
            self.follow(call.node, signal.value)

    @on(Applying)
    def make(self, signal: Applying) -> None:
        if isinstance(signal.fact, effect.Makes):
            self.place(signal.call.node, signal.call.arguments.keywords.get("device"))

    def follow(self, node: ir.Call, value: Value) -> None:
        """`if x.is_cuda: y = y.cuda()`"""
        for test, truth in map(upright, self.run.here().decisions()):
            subject = subject_of(test) if truth else None
            other = self.run.numbered(subject.number) if subject is not None else value
            if subject is not None and other is not value and other.device.is_like:
                name = self.name_of(other)
                self.run.report(self, astray(node, subject, name, other.device.likes[0]))
                return

    def name_of(self, value: Value) -> str | None:
        """By which name the function that runs has a value, if it still does."""
        bound = ((name, self.run.lookup(name)) for name in sorted(self.run.frame.names))
        return next((name for name, each in bound if each == value), None)

    def place(self, node: ir.Call, argument: Argument | None) -> None:
        """A module puts something on a device that it keeps from its construction on."""
        # In a lambda, that of the method around it.
        owner = next((each for each in reversed(self.run.owners) if each is not None), None)
        tag = None if argument is None else argument.value.tag(Kept)
        if tag is None or owner is None or not self.is_moved_by_users(owner):
            return
        name = tag.name
        if (owner, name) in self.told:
            return
        init, method = owner.method("__init__"), self.run.running[-1]
        # Where the program makes one, what happens to that one decides.
        if init is None or init.node in self.run.contexts or self.is_step_of(init.node, method):
            return
        is_optional = name in self.run.once(optional, owner, owner)
        kept = None if is_optional else class_summary.assignment_in_init(owner, name)
        if kept is not None:
            self.told.add((owner, name))
            self.run.report(self, stale(node, name, kept))

    def is_step_of(self, init: ir.Node, method: ir.Node) -> bool:
        """Whether a method is `__init__`, or nothing but that calls it."""
        callers = self.run.seeds.callers(method) if isinstance(method, ir.Def) else ()
        return init is method or (bool(callers) and all(each is init for each in callers))

    def is_moved_by_users(self, owner: ClassInfo) -> bool:
        """Whether objects of a class have parameters or buffers, and are moved as any module is."""
        receiver = self.run.frame.receiver
        if receiver is None or not owner.is_module or any(map(owner.method, OWN)):
            return False
        return any(True for _ in module_state.state_devices(self.run, receiver))


class Subject(NamedTuple):
    """What a test asks about: a value by its number, or what it holds under attributes."""

    number: int
    attributes: tuple[str, ...] = ()


def subject_of(test: Hashable) -> Subject | None:
    """What a test asks whether it is on an accelerator: `x.is_cuda`."""
    match test:
        case Condition(key=(".", whole, "is_cuda")):
            return subject(whole)
        case Condition(key=("==", (".", (".", whole, "device"), "type"), ("constant", "'cuda'"))):
            return subject(whole)
    return None


def subject(key: object) -> Subject | None:
    match key:
        case ("value", int(number)):
            return Subject(number)
        case (".", whole, str(name)):
            found = subject(whole)
            return found and Subject(found.number, (*found.attributes, name))
    return None


def astray(node: ir.Call, subject: Subject, name: str | None, where: Like) -> Problem:
    text = "the tensor that a test asks about: keep its device, and use that"
    if name is not None:
        whole = ".".join((name, *subject.attributes))
        text = f"`{whole}`: use `.to({whole}.device)`"
    source = where.source
    related = ((source, "where this is decides"),) if isinstance(source, ir.Node) else ()
    return Problem(
        node,
        f"`{written(node)}` goes to the current accelerator, which need not be the one of {text}",
        related,
        presumes=(Presumption.SECOND_ACCELERATOR,),
    )


def optional(owner: ClassInfo) -> frozenset[str]:
    """What is tested as in `if self.device is not None`: a device on purpose, apart from the
    module's."""
    tests = (e for m in owner.definitions for e in walk(m) if isinstance(e, ir.Compare))
    asked = (path(test.left) for test in tests if "is" in test.ops[0])
    return frozenset(names[1] for names in asked if len(names) == 2 and names[0] == "self")


def stale(node: ir.Call, name: str, kept: ir.Assign) -> Problem:
    message = (
        f"`{written(node.func)}` uses `self.{name}`, which the module keeps from its construction "
        "on: it is stale after `.to(...)`"
    )
    related = ((kept, "the device is kept here"),)
    return Problem(node, message, related, presumes=(Presumption.MOVED_AGAIN,))
