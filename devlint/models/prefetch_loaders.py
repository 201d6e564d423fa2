"""Loaders of other libraries that put their batches on a device by themselves."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.facts.effect import Fact
from devlint.interpret.core import batches
from devlint.interpret.core.call import Call
from devlint.interpret.core.containers import container
from devlint.interpret.core.interpreter import Run
from devlint.interpret.tensors import transfers
from devlint.values.device import ON_CPU, UNKNOWN, Device, asked, named
from devlint.values.instance import ANY
from devlint.values.origin import Origin
from devlint.values.value import Kind, Value


@dataclass(frozen=True, slots=True)
class Serves(Fact):
    """A loader that puts its batches on `device=` by itself, else on `otherwise`.

    `position`: of that argument. `switch`: an argument without which, when it is false, batches
    stay on the CPU. `is_split`: makes several. `gives_objects`: batches that cannot be moved, only
    the tensors that are their attributes.
    """

    otherwise: str = "cpu"
    position: int | None = None
    switch: str = ""
    is_split: bool = False
    gives_objects: bool = False


def made(machine: Run, fact: Serves, call: Call) -> Value:
    payload = batches.ITERATOR if fact.gives_objects else batches.LOADER
    device = destination(machine, fact, call)
    loader = Value(Kind.OBJECT, device, payload=payload, origin=Origin(call.node, "made here"))
    return container(machine, call.node.func, {ANY: loader}) if fact.is_split else loader


def destination(machine: Run, fact: Serves, call: Call) -> Device:
    """Where the batches are."""
    arguments = call.arguments
    given = arguments.get(fact.position, "device")
    switch = arguments.keywords.get(fact.switch)
    if switch is not None and switch.value.payload is not True:
        return ON_CPU if switch.value.payload is False else UNKNOWN
    if given is not None:
        return (
            UNKNOWN if is_number(given.value) else asked(transfers.device_named(given) or UNKNOWN)
        )
    if arguments.is_open or not machine.default_device(call.node)[0].is_cpu:
        return UNKNOWN
    return named(fact.otherwise) or UNKNOWN


def is_number(value: Value) -> bool:
    """`-1` was the CPU once, and `None` the current GPU."""
    is_number = value.payload is None or isinstance(value.payload, int)
    return value.kind is Kind.CONSTANT and is_number
