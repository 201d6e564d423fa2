"""Emulates CUDA for as long as a `with` statement runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.confirm.device_tags.devices import Device, Devices
from devlint.confirm.device_tags.record import Record
from devlint.confirm.device_tags.room import Room
from devlint.confirm.emulation import (
    default_device,
    opaque,
    process_transfer,
    taken_names,
    untold_frames,
)
from devlint.confirm.emulation.dispatch_mode import Claims
from devlint.confirm.emulation.torch_requirement import EmulationError, required
from devlint.confirm.torch_patches import (
    checkpoints,
    composites,
    cuda_module,
    data_loaders,
    factories,
    generators,
    gradients,
    memory,
    moves,
    optimizers,
    preconditions,
    randomness,
    streams,
    typed_constructors,
)
from devlint.confirm.torch_patches.autocast import kernels
from devlint.confirm.torch_patches.compilers import (
    compile,
    dynamo,
    export,
    script_files,
    torch_script,
)
from devlint.confirm.torch_patches.parallel import (
    data_parallel,
    distributed,
    synchronized_batch_norm,
)
from devlint.confirm.torch_patches.session import Emulation
from devlint.confirm.torch_patches.tensors import (
    exchange,
    jagged_attention,
    subclasses,
    tensor_attributes,
)

_PARTS: tuple[Any, ...] = (
    default_device,
    generators,
    tensor_attributes,
    moves,
    factories,
    typed_constructors,
    subclasses,
    jagged_attention,
    exchange,
    cuda_module,
    memory,
    streams,
    randomness,
    kernels,
    data_loaders,
    checkpoints,
    compile,
    export,
    torch_script,
    script_files,
    composites,
    preconditions,
    gradients,
    optimizers,
    data_parallel,
    distributed,
    synchronized_batch_norm,
    process_transfer,
    opaque,
    untold_frames,
    dynamo,
)
#: The one that is on; what it replaces cannot be replaced twice.
_ON: list[Emulation] = []


def running() -> Emulation | None:
    """The emulation that this process is in."""
    return _ON[-1] if _ON else None


@contextmanager
def emulated_cuda(
    *,
    devices: int = 1,
    goes_on: bool = False,
    hear: Callable[[DeviceEvent], None] | None = None,
    memory: int | None = None,
    miss: Callable[[str, str], None] | None = None,
) -> Iterator[Record]:
    """CUDA with so many devices, each with so many bytes; yield the record of what it would refuse.

    Raise `DeviceError` or `ExportError` at the first, unless the run `goes_on`; `hear` is told of
    each at once, and then the record keeps none; `miss` is told of kinds and names of what cannot
    be seen into. Raise `EmulationError` where this PyTorch cannot be replaced so, or is already.
    Tensors that `memory` has no room for raise `torch.OutOfMemoryError`; without a number there is
    room for all.
    """
    if running():
        raise EmulationError("CUDA is emulated already")
    record = Record(goes_on, hear=hear, miss=miss)
    emulation = Emulation(Devices(devices), record, Room(memory))
    _ON.append(emulation)
    try:
        with required():
            _install(emulation)
        with Claims(emulation), kernels.reached():
            yield emulation.record
    finally:
        emulation.patches.restore()
        _ON.pop()


def _install(emulation: Emulation) -> None:
    for part in _PARTS:
        part.install(emulation)
    emulation.patches.put(torch, "device", Device)
    _watch_threads(emulation)
    taken_names.install(emulation)


def _watch_threads(emulation: Emulation) -> None:
    """A dispatch mode is of one thread; those that start later get one of their own."""
    run = threading.Thread.run

    def watched(self: threading.Thread) -> None:
        with Claims(emulation), kernels.reached():
            run(self)

    emulation.patches.put(threading.Thread, "run", watched)
