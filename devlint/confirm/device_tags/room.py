"""How much of the memory of each device is taken, if it has an end."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from devlint.confirm.device_tags.tag import device_of, holder

_NAME = "_devlint_lease"
_GIB = 1 << 30
_FULL = (
    "CUDA out of memory. Tried to allocate {asked:.2f} GiB. GPU {index} has a total capacity of "
    "{limit:.2f} GiB of which {free:.2f} GiB is free."
)


class Room:
    """`limit`: the bytes of each device, `None` for any number."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.taken: Counter[int] = Counter()

    def take(self, tensor: Any) -> Any:
        """The tensor, whose storage counts as long as it lives."""
        device = device_of(tensor) if self.limit is not None else None
        if device is None or device.type != "cuda":
            return tensor
        storage = holder(tensor)
        if getattr(storage, _NAME, None) is None:
            self._check(storage.nbytes(), device.index)
            setattr(storage, _NAME, _Lease(self, device.index, storage.nbytes()))
        return tensor

    def _check(self, size: int, index: int) -> None:
        limit = self.limit or 0
        free = limit - self.taken[index]
        if size > free:
            shown = {"asked": size / _GIB, "limit": limit / _GIB, "free": free / _GIB}
            raise torch.OutOfMemoryError(_FULL.format(index=index, **shown))


class _Lease:
    """Ends with the storage that has it."""

    def __init__(self, room: Room, index: int, size: int) -> None:
        self._room, self._index, self._size = room, index, size
        room.taken[index] += size

    def __del__(self) -> None:
        self._room.taken[self._index] -= self._size
