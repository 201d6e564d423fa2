"""Loaders out of view that put their batches on an accelerator, as the configuration says."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Fact
from devlint.interpret.core import batches
from devlint.interpret.core.call import Call
from devlint.interpret.core.interpreter import Run
from devlint.queries.name_conventions import written
from devlint.values.device import UNKNOWN, chosen
from devlint.values.instance import Instance
from devlint.values.origin import Origin
from devlint.values.value import Kind, Value, as_device


@dataclass(frozen=True, slots=True)
class Supplies(Fact):
    """Gives loaders, or an object that does, which put their batches on an accelerator."""


def made(machine: Run, fact: Supplies, call: Call) -> Value:
    """A loader, several of them, or an object whose methods give them."""
    node = call.node
    named = (as_device(argument.value) for argument in call.arguments)
    device = next((each for each in named if each is not None), None)
    if device is None or not device.is_known:
        device = chosen(f"{written(node.func)}()'s device")
    elif not device.is_accelerator:
        device = UNKNOWN
    ref = machine.make(node, Instance(fact)).ref
    origin = Origin(node, "made here")
    return Value(Kind.OBJECT, device, ref=ref, payload=batches.LOADER, origin=origin)


def supplied(machine: Run, receiver: Value) -> Value | None:
    """What a method of such an object gives."""
    if not isinstance(machine.instance(receiver.ref).type, Supplies):
        return None
    return receiver
