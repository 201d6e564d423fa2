"""Emulated CUDA for a part of a program, such as a test: a new one, or the one that is on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.confirm.emulation.dispatch_mode import Claims
from devlint.confirm.emulation.emulate import emulated_cuda, running
from devlint.confirm.emulation.torch_requirement import EmulationError
from devlint.confirm.torch_patches.session import Emulation
from devlint.report.text import count

_IN_USE = (
    "CUDA is in use in this process: what is on a real device cannot be told from what is on an "
    "emulated one. Emulate it before anything is put there, or in a process of its own"
)


@contextmanager
def block(devices: int | None, memory: int | None, goes_on: bool) -> Iterator[list[DeviceEvent]]:
    """Yield the events in it.

    Raise `EmulationError` where CUDA is in use, or is emulated already in another way.
    """
    if devices is not None and devices < 1:
        raise ValueError(f"{devices} is no number of devices")
    outer = running()
    if outer is None and torch.cuda.is_initialized():
        raise EmulationError(_IN_USE)
    if outer and (obstacle := _obstacle(outer, devices, memory, goes_on)):
        raise EmulationError(f"CUDA is emulated already: {obstacle}")
    new = emulated_cuda(devices=devices or 1, memory=memory, goes_on=goes_on)
    with nullcontext(outer.record) if outer else new as record, record.listed() as events:
        yield events


def _obstacle(
    outer: Emulation, devices: int | None, memory: int | None, goes_on: bool
) -> str | None:
    """Why one that is on cannot be the one that is asked for."""
    if devices not in (None, outer.devices.count):
        return count(outer.devices.count, "device")
    if memory not in (None, outer.room.limit):
        return "with other memory"
    if goes_on and not outer.record.goes_on:
        return "a device error ends what it happens in"
    if not any(isinstance(each, Claims) for each in _get_current_dispatch_mode_stack()):
        return "for threads that start now, this one did before"
    return None
