"""Copies from an accelerator to the CPU that have been started and not waited for."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace

from devlint.event import UnsynchronisedRead
from devlint.facts import effect
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.source import Copy
from devlint.values.value import NOTHING, Origin, Value, as_device

#: The cell of the copies that are under way.
PENDING = "copies"
#: Functions of Python that look at the elements of a tensor.
LOOKS = frozenset(f"builtins.{name}" for name in "print float int bool str repr format".split())
#: Methods that read, of those that give no tensor.
READS = frozenset({"item", "tolist", "equal", "allclose"})
HOST = re.compile(r"(^|_)(cpu|numpy|host)$")


@dataclass(frozen=True, slots=True)
class Pending:
    """The copies that are under way on every path."""

    copies: frozenset[ir.Node] = frozenset()

    def join(self, other: Pending, test: Hashable | None = None) -> Pending:
        return Pending(self.copies & other.copies)

    def given(self, test: Hashable, truth: bool) -> Pending:
        return self

    def depends(self) -> bool:
        return False


def pending(machine: Run) -> frozenset[ir.Node]:
    found = machine.here().get(PENDING)
    return found.copies if isinstance(found, Pending) else frozenset()


def copied(
    machine: Run, origin: Origin, value: Value, device: Device, arguments: Arguments
) -> Origin:
    """The origin of what is moved: a copy to the CPU may be under way, any other is waited for."""
    if not is_set(arguments.keywords.get("non_blocking") or arguments.get(2, "non_blocking")):
        waited(machine)
        return origin
    if not device.is_cpu or value.device.is_cpu:
        return origin
    machine.notes.has_copies = True
    machine.here().put(PENDING, Pending(pending(machine) | {origin.node}))
    return replace(origin, source=Copy(origin.node))


def is_set(argument: Argument | None) -> bool:
    return argument is not None and argument.value.payload is True


def waited(machine: Run) -> None:
    """The program waits for the device: all that was started is done."""
    if machine.notes.has_copies:
        machine.here().put(PENDING, Pending())


def synchronised(machine: Run, name: str) -> None:
    """A call by whose name it waits."""
    if machine.notes.has_copies and ("sync" in name or "wait" in name or "barrier" in name):
        waited(machine)


def read(
    machine: Run, node: ir.Node, operation: str, value: Value, *, is_returned: bool = False
) -> None:
    """The elements of a value are read on the CPU."""
    source = value.source if machine.notes.has_copies else None
    if isinstance(source, Copy) and source.call in pending(machine):
        machine.emit(UnsynchronisedRead(node, operation, source.call, is_returned))


def met(machine: Run, fact: effect.Fact, node: ir.Call, name: str, arguments: Arguments) -> None:
    """What the call of a known function means to the copies under way."""
    last = name.rpartition(".")[2]
    if isinstance(fact, effect.Inert):
        synchronised(machine, last)
    if not does_read(fact, name, last):
        return
    if isinstance(fact, effect.Reads) and not any(a.value.device.is_cpu for a in arguments):
        waited(machine)
    for argument in arguments:
        read(machine, node, last, argument.value)


def does_read(fact: effect.Fact, name: str, last: str) -> bool:
    if isinstance(fact, effect.Reads):
        return last in READS
    if isinstance(fact, effect.Inert):
        return name in LOOKS
    if isinstance(fact, effect.Follows):
        return fact.rank is effect.Rank.REDUCED
    return isinstance(fact, (effect.Exports, effect.Picks, effect.Saves))


def asked_for(machine: Run, node: ir.Call, value: Value, arguments: Arguments) -> Value:
    """What a function in view gives that is told to copy to the CPU and not to wait."""
    device = arguments.keywords.get("device")
    if not is_set(arguments.keywords.get("non_blocking")) or device is None:
        return value
    named = as_device(device.value)
    if named is None or not named.is_cpu:
        return value
    origin = Origin(node, "copied to the CPU here")
    return replace(value, origin=copied(machine, origin, NOTHING, named, arguments))


def handed_out(machine: Run, node: ir.Return, value: Value) -> None:
    """A function whose name says that it gives what is on the CPU returns it."""
    running = machine.running[-1] if machine.notes.has_copies and machine.running else None
    if not isinstance(running, ir.Def) or not HOST.search(running.name):
        return
    if all(parameter.name != "non_blocking" for parameter in running.params):
        read(machine, node, running.name, value, is_returned=True)
