"""Devices that are chosen by where something is."""

from __future__ import annotations

from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.value import Kind, Value


def where_asked(machine: Run, test: ir.Expression, then: Value, orelse: Value) -> Device | None:
    """`"cuda" if x.is_cuda else "cpu"` is where `x` is, though nobody knows where."""
    if not isinstance(test, ir.Attribute) or test.name != "is_cuda":
        return None
    asked = machine.evaluate(test.value)
    is_tensor = asked.kind in (Kind.TENSOR, Kind.UNKNOWN)
    return asked.device if is_tensor and is_other(then) and is_cpu(orelse) else None


def is_cpu(device: Value) -> bool:
    return device.payload == "cpu" or device.device.is_cpu


def is_other(device: Value) -> bool:
    return device.payload == "cuda" or device.device.is_accelerator
