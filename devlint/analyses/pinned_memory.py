"""What is copied to pinned memory, which is the CPU's."""

from __future__ import annotations

from devlint.event import Pin
from devlint.facts.effect import Pins
from devlint.interpret.core import batches
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import items_of
from devlint.interpret.core.interpreter import Run
from devlint.interpret.objects import loader_options
from devlint.lower import ir
from devlint.queries.name_conventions import written
from devlint.values.condition import SILENT
from devlint.values.device import Device
from devlint.values.value import NOTHING, Kind, Value


def pins(machine: Run, fact: Pins, node: ir.Call, name: str, arguments: Arguments) -> Value:
    given = next(iter(arguments), None)
    if given is None:
        return NOTHING
    if not is_optional(given.value.device):
        machine.emit(Pin(node, written(given.node), given.value.device, given.value.origin))
    return given.value


def is_optional(device: Device) -> bool:
    """A setting of the program decides, as whether to keep buffers on the CPU: who pins what is
    there does so in a program that does."""
    is_setting = device.test is not None and device.test.senses == SILENT
    return is_setting and any(arm.is_cpu for arm in device.arms or ())


def loader(machine: Run, node: ir.Call, arguments: Arguments) -> None:
    """A loader that pins what its data set gives."""
    data = arguments.get(0, "dataset")
    if data is None or not loader_options.read(machine, arguments).pins_memory:
        return
    held = [data.value, *items_of(machine, data.value)]
    for value in held:
        if is_data(value) and value.device.is_accelerator:
            machine.emit(Pin(node, written(data.node), value.device, value.origin, True))
            return


def accelerated(arguments: Arguments) -> Argument | None:
    """Of what a data set is made of, a part on an accelerator."""
    return next((a for a in arguments if is_data(a.value) and a.value.device.is_accelerator), None)


def is_data(value: Value) -> bool:
    return value.kind is Kind.TENSOR or value.payload in batches.GIVERS
