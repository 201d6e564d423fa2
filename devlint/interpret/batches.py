"""Batches: what loaders, tokenizers and transforms give, on the CPU until it is moved."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret import places
from devlint.interpret.machine import Machine
from devlint.lower import ir
from devlint.values.device import ON_CPU
from devlint.values.instance import Instance
from devlint.values.source import Batch
from devlint.values.value import Origin, Value

LOADER = "loader"
DATASET = "dataset"
GIVEN = "given"
#: What gives batches, by what it is called.
GIVERS = {LOADER: "the loader", DATASET: "the data set"}


def batch(machine: Machine, node: ir.Node, giver: str) -> Value:
    """Something on the CPU: a tensor, or what holds tensors.

    It may be an object that moves in place: its instance tells whether it has been moved, or was
    handed to code out of view that may have done so.
    """
    ref = (GIVEN, machine.key(node))
    machine.store(ref, Instance(device=ON_CPU))
    source = Batch(giver, places.device_name(machine))
    origin = Origin(node, f"given by {giver} here, on the CPU", machine.frame.path, source)
    return Value(device=ON_CPU, ref=ref, origin=origin)


def is_batch(value: Value) -> bool:
    return value.origin is not None and isinstance(value.origin.source, Batch)


def settled(machine: Machine, value: Value) -> Value:
    """A batch as it is by now."""
    if value.ref is None or not value.device.is_cpu or not is_batch(value):
        return value
    instance = machine.instance(value.ref)
    return value if instance.device.is_cpu else replace(value, device=instance.device)


def read(machine: Machine, loader: Value, node: ir.Node) -> Value:
    """What iterating over a loader gives."""
    giver = GIVERS[str(loader.detail)]
    if gives_cpu(machine, loader):
        return batch(machine, node, giver)
    return Value(ref=machine.key(node))


def gives_cpu(machine: Machine, value: Value) -> bool:
    """Whether what a loader or a data set gives is on the CPU by now."""
    return value.device.is_cpu and (value.ref is None or machine.instance(value.ref).device.is_cpu)
