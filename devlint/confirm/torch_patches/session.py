"""What one emulation of CUDA consists of."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from devlint.confirm.device_tags.devices import Devices
from devlint.confirm.device_tags.record import Record
from devlint.confirm.device_tags.room import Room
from devlint.confirm.torch_patches.patches import Patches


class Makers(threading.local):
    """How many of our wrappers of factories are running: what they make is on a known device."""

    depth = 0

    def make(self, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What a factory of PyTorch makes."""
        self.depth += 1
        try:
            return original(*args, **kwargs)
        finally:
            self.depth -= 1


@dataclass(frozen=True, slots=True)
class Emulation:
    devices: Devices
    record: Record
    room: Room = field(default_factory=Room)
    patches: Patches = field(default_factory=Patches)
    makers: Makers = field(default_factory=Makers)
