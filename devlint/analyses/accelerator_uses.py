"""Who uses an accelerator: the program itself, or a worker process of a loader."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.interpret.core.interpreter import Run
from devlint.lower import ir
from devlint.values.device import ON_CUDA, Device
from devlint.values.value import Origin, Value

#: The cell of the program's first use of an accelerator.
USED = "accelerator"

#: Calls that make a CUDA context, or fail where a fork has broken it. Seeds are only queued there,
#: and `is_available` and `device_count` ask the driver. Source: torch.cuda, PyTorch 2.13.
CONTEXTS = frozenset(
    f"torch.cuda.{name}"
    for name in (
        "synchronize set_device current_stream default_stream init Stream "
        "get_device_name get_device_properties get_device_capability mem_get_info"
    ).split()
)


@dataclass(frozen=True, slots=True)
class AcceleratorUse:
    node: ir.Node
    operation: str
    device: Device


def used(machine: Run, node: ir.Node, operation: str, device: Device) -> None:
    """Note that a node uses an accelerator, if `device` is or may be one; of a worker process
    also what it moves to the CPU."""
    if machine.notes.worker is not None:
        if device.is_accelerator or device.is_cpu:
            machine.notes.worker.append(AcceleratorUse(node, operation, device))
    elif device.is_accelerator and machine.here().get(USED) is None:
        origin = Origin(node, f"the program uses {device.told} here, before the loader runs")
        machine.here().put(USED, Value(origin=origin))


def called(machine: Run, node: ir.Node, name: str) -> None:
    if name in CONTEXTS:
        used(machine, node, f"{name}(..)", ON_CUDA)


def started(machine: Run, loader: Value) -> None:
    """A loader is iterated over: its worker processes are made of this one."""
    use = machine.here().get(USED)
    if loader.origin is not None and isinstance(use, Value) and use.origin is not None:
        machine.notes.started.setdefault(loader.origin.node, use.origin)
