"""Copies from an accelerator to the CPU that have been started and not waited for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from devlint.api import (
    Analysis,
    Applying,
    Argument,
    Arguments,
    Call,
    Called,
    Calling,
    Cell,
    ClassInfo,
    Combined,
    Kind,
    Problem,
    Rank,
    Returned,
    Run,
    Tag,
    Taken,
    Transferred,
    Value,
    as_device,
    effect,
    ir,
    on,
)

#: The cell of the copies that are under way.
PENDING = "copies"
#: Functions of Python that look at the elements of a tensor.
LOOKS = frozenset(f"builtins.{name}" for name in "print float int bool str repr format".split())
#: Methods that read, of those that give no tensor.
READS = frozenset({"item", "tolist", "equal", "allclose"})
#: Functions and methods of PyTorch that wait.
WAITS = frozenset({"synchronize", "wait", "wait_event", "wait_stream", "barrier"})


@dataclass(frozen=True, slots=True)
class Pending(Cell):
    """The copies that are under way on every path."""

    copies: frozenset[ir.Node] = frozenset()

    def join(self, other: Pending, test: Hashable | None = None) -> Pending:
        return Pending(self.copies & other.copies)


@dataclass(frozen=True, slots=True)
class Requested(Tag):
    """Of what a function in view gives that was told to copy to the CPU and not to wait."""

    copy: ir.Node


def may_be_far(signal: Transferred) -> bool:
    """Whether what is copied to the CPU may be on an accelerator: who names the CPU means that,
    where a variable that is the CPU, on all that a program does, says nothing of it."""
    before, arguments = signal.before.device, signal.call.arguments
    told = arguments.get(0, "device")
    is_variable = told is not None and isinstance(told.node, (ir.Name, ir.Attribute))
    return before.may_accelerate if is_variable else not before.is_cpu


class UnsynchronisedCopies(Analysis[Run]):
    """Reports what reads a copy that may be under way."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: Whether any copy has been started: most programs start none.
        self.has_copies = False
        #: Those of which a first read has been told: the others have the same cause.
        self.told: set[ir.Node] = set()

    def pending(self) -> frozenset[ir.Node]:
        found = self.run.here().get(PENDING)
        return found.copies if isinstance(found, Pending) else frozenset()

    def start(self, copy: ir.Node) -> None:
        self.has_copies = True
        self.run.here().put(PENDING, Pending(self.pending() | {copy}))

    def wait(self) -> None:
        """The program waits for the device: all that was started is done."""
        if self.has_copies:
            self.run.here().put(PENDING, Pending())

    @on(Transferred)
    def transfer(self, signal: Transferred) -> None:
        """A copy to the CPU may be under way, any other is waited for."""
        call = signal.call
        if not call.name:
            return  # A function of the project copies, which may wait or not.
        if not is_told_not_to_wait(call.arguments):
            self.wait()
        elif signal.device.is_cpu and may_be_far(signal):
            self.start(call.node)

    @on(Called)
    def request(self, signal: Called) -> Value | None:
        """A method in view may be told to copy to the CPU and not to wait."""
        call = signal.call
        device = call.arguments.keywords.get("device")
        if device is None or not is_set(call.arguments.keywords.get("non_blocking")):
            return None
        named = as_device(device.value)
        if named is None or not named.is_cpu or not self.is_in_view(call):
            return None
        self.start(call.node)
        is_constant = signal.value.kind is Kind.CONSTANT
        return None if is_constant else signal.value.tagged(Requested(call.node))

    def is_in_view(self, method: Call) -> bool:
        receiver = method.receiver
        type_ = self.run.instance(receiver.ref).type if receiver is not None else None
        return isinstance(type_, ClassInfo) and type_.method(method.name) is not None

    @on(Calling)
    def call(self, signal: Calling) -> None:
        self.synchronise(signal.call.name)

    def synchronise(self, name: str) -> None:
        """A call by whose name it waits."""
        last = name.rpartition(".")[2]
        if self.has_copies and last in WAITS:
            self.wait()

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        """What the call of a known function means to the copies under way."""
        if not self.has_copies:
            return
        fact, call = signal.fact, signal.call
        if isinstance(fact, effect.Inert):
            self.synchronise(call.name)
        if not does_read(fact, call.name):
            return
        if isinstance(fact, effect.Reads) and not any(
            a.value.device.is_cpu for a in call.arguments
        ):
            self.wait()
        for argument in call.arguments:
            self.read(call.node, call.name.rpartition(".")[2], argument.value)

    @on(Combined)
    def combine(self, signal: Combined) -> None:
        for operand in signal.operands if self.has_copies else ():
            self.read(signal.node, signal.operation, operand.value)

    @on(Returned)
    def hand_out(self, signal: Returned) -> None:
        """A method `cpu` returns it, which as that of a tensor gives what has arrived."""
        running = self.run.function if self.has_copies else None
        if not isinstance(running, ir.Def) or running.name != "cpu":
            return
        if all(parameter.name != "non_blocking" for parameter in running.params):
            self.read(signal.node, running.name, signal.value, verb="hands out")

    def read(self, node: ir.Node, operation: str, value: Value, verb: str = "reads") -> None:
        """The elements of a value are read on the CPU."""
        copy = copy_of(value)
        if copy is None or copy in self.told or copy not in self.pending():
            return
        self.told.add(copy)
        message = (
            f"`{operation}` {verb} a tensor on the CPU that may not have arrived yet: it "
            "was copied with `non_blocking=True`, and nothing waits for the copy"
        )
        related = ((copy, "the copy is started here"),)
        self.run.report(self, Problem(node, message, related))


def copy_of(value: Value) -> ir.Node | None:
    """The call that has copied a value, if one has."""
    requested = value.tag(Requested)
    if requested is not None:
        return requested.copy
    # What has a source of its own was made of the copy, not by it.
    is_own = value.source is None or isinstance(value.source, Taken)
    return value.origin.node if value.origin is not None and is_own else None


def is_told_not_to_wait(arguments: Arguments) -> bool:
    return is_set(arguments.keywords.get("non_blocking") or arguments.get(2, "non_blocking"))


def is_set(argument: Argument | None) -> bool:
    return argument is not None and argument.value.payload is True


def does_read(fact: effect.Fact, name: str) -> bool:
    if isinstance(fact, effect.Reads):
        return name.rpartition(".")[2] in READS
    if isinstance(fact, effect.Inert):
        return name in LOOKS
    if isinstance(fact, effect.Follows):
        return fact.rank is Rank.REDUCED
    return isinstance(fact, (effect.Exports, effect.Picks, effect.Saves))
