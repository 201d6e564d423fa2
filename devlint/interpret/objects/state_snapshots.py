"""Snapshots: copies of a module's state, which stay where they are when the module moves."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.object_ids import Copied, maker
from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.origin import Origin
from devlint.values.source import Snapshot
from devlint.values.value import Value


def state_origin(
    run: Run, module: Value, device: Device, origin: Origin | None, node: ir.Call
) -> Origin | None:
    """The origin of the state of a module that has not been moved; that of a copy is a snapshot."""
    if not device.is_cpu or run.instance(module.ref).move is not None:
        return origin
    copy = copied_at(module.ref)
    origin = origin or Origin(node, "made on the CPU", run.frame.path)
    return replace(origin, source=Snapshot(copy))


def copied_at(ref: Hashable) -> ir.Node | None:
    """The call of `deepcopy` that made an object."""
    if isinstance(ref, Copied):
        made = maker(ref.site)
        return made if isinstance(made, ir.Node) else None
    return None


def clone(node: ir.Call, name: str, value: Value) -> Value:
    """What a function gives that follows `value`: a clone of state is a snapshot."""
    origin = value.origin
    if origin is None or name.rpartition(".")[2] != "clone":
        return value
    if not isinstance(origin.source, Snapshot) or origin.source.copy is not None:
        return value
    return replace(value, origin=replace(origin, node=node, source=Snapshot(node)))
