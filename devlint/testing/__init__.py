"""For tests elsewhere: the spec harness of rule packs, and emulated CUDA."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devlint.confirm.device_tags.device_event import DeviceEvent


@contextmanager
def emulated_cuda(
    *, devices: int | None = None, memory: int | None = None, keep_going: bool = False
) -> Iterator[list[DeviceEvent]]:
    """Until the block ends torch sees so many devices, each with `memory` bytes, and no real one.

    Yield the list of what CUDA would have refused; each event has a `message`, a `stack`, the
    innermost line first, and `births()`, which say where the operands were made. Each raises
    CUDA's exception, unless the block is to `keep_going`.

    Without `devices` there is one. In another block, and where the whole run is on emulated CUDA
    (`pytest --devlint-device`, `devlint run`), it is that one, with its devices and its memory.

    Raise `EmulationError` where that one has other devices or memory than are asked for, where
    CUDA is in use in this process, and where torch is missing or cannot be replaced.
    """
    from devlint.confirm.emulation.torch_requirement import EmulationError, required, unmet

    if problem := unmet("emulated_cuda()"):
        raise EmulationError(problem)
    with required():
        from devlint.confirm.emulation.block import block
    with block(devices, memory, keep_going) as events:
        yield events
