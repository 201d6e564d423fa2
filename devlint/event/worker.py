"""What runs in the worker processes of a loader."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.lower import ir
from devlint.values.device import Device
from devlint.values.value import Origin


@dataclass(frozen=True, slots=True, eq=False)
class WorkerUse:
    """Code that a loader runs for each sample or batch uses an accelerator.

    `node` is the move or call, `entry` the function that the loader calls, `loader` where it was
    made: it has worker processes that do not start afresh, or `is_pinned`: what is on `device` is
    handed to the loader, which pins it. `parent` is where the program itself uses an accelerator
    before the loader runs, if it is seen to.
    """

    node: ir.Node
    operation: str
    entry: str
    device: Device
    loader: ir.Node
    is_pinned: bool
    parent: Origin | None
