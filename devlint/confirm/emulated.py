"""Emulates CUDA for as long as a `with` statement runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch._dynamo  # Optimizers import it, and it must not see what is replaced.

from devlint.confirm import (
    autocasting,
    checkpoints,
    compilers,
    composites,
    cuda_module,
    distributed,
    factories,
    generators,
    gradients,
    legacy,
    loaders,
    memory,
    moves,
    optimizers,
    parallel,
    preconditions,
    randomness,
    streams,
    tensor_attributes,
)
from devlint.confirm.device_event import DeviceEvent
from devlint.confirm.devices import Device, Devices
from devlint.confirm.dispatch import Claims
from devlint.confirm.emulation import Emulation
from devlint.confirm.record import Record
from devlint.confirm.requirement import required

_PARTS: tuple[Any, ...] = (
    generators,
    tensor_attributes,
    moves,
    factories,
    legacy,
    cuda_module,
    memory,
    streams,
    randomness,
    autocasting,
    loaders,
    checkpoints,
    compilers,
    composites,
    preconditions,
    gradients,
    optimizers,
    parallel,
    distributed,
)


@contextmanager
def emulated_cuda(
    *, devices: int = 1, goes_on: bool = False, hear: Callable[[DeviceEvent], None] | None = None
) -> Iterator[Record]:
    """CUDA with so many devices; yield the record of what CUDA would refuse.

    Raise `DeviceError` or `ExportError` at the first, unless the run `goes_on`; `hear` is told of
    each at once, and then the record keeps none. Raise `EmulationError` where this PyTorch cannot
    be replaced so.
    """
    emulation = Emulation(Devices(devices), Record(goes_on, hear=hear))
    try:
        with required():
            _install(emulation)
        with Claims(emulation):
            yield emulation.record
    finally:
        emulation.patches.restore()


def _install(emulation: Emulation) -> None:
    for part in _PARTS:
        part.install(emulation)
    emulation.patches.put(torch, "device", Device)
    _watch_threads(emulation)


def _watch_threads(emulation: Emulation) -> None:
    """A dispatch mode is of one thread; those that start later get one of their own."""
    run = threading.Thread.run

    def watched(self: threading.Thread) -> None:
        with Claims(emulation):
            run(self)

    emulation.patches.put(threading.Thread, "run", watched)
