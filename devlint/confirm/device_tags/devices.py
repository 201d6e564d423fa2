"""The emulated devices: how many there are, which is current, and what names one."""

from __future__ import annotations

import threading
from typing import Any

import torch

from devlint.confirm.device_tags.tag import CPU

_Device = torch.device


class Devices(threading.local):
    """`count` devices of CUDA; each thread has its own current one."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.current = 0

    def named(self, device: Any) -> Any:
        """The device that PyTorch means by an index, a string or a device without an index.

        Raise `RuntimeError` for one that is not there.
        """
        if isinstance(device, int):
            device = _Device("cuda", device)
        elif isinstance(device, str):
            device = _Device(device)
        if device.type != "cuda":
            return device
        index = self.current if device.index is None else device.index
        if index >= self.count:
            raise RuntimeError("CUDA error: invalid device ordinal")
        return _Device("cuda", index)

    def cuda(self, device: Any = None) -> Any:
        """The device that is named, CUDA's current one for `None`."""
        return self.named("cuda" if device is None else device)

    def index(self, device: Any = None) -> int:
        """The index of one of CUDA, the current one for `None`."""
        return self.current if device is None else int(self.named(device).index)

    def default(self) -> Any:
        """The device of `set_default_device` and `with torch.device(..)`."""
        current = torch.utils._device.CURRENT_DEVICE
        return CPU if current is None else self.named(current)


class _IsADevice(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _Device)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is _Device

    def __hash__(cls) -> int:
        return hash(_Device)


class Device(metaclass=_IsADevice):
    """`torch.device`, which only a build with an accelerator lets name one by its index alone."""

    __module__ = "torch"
    __qualname__ = "device"
    __wrapped__ = _Device  # TorchScript asks for it.

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and type(args[0]) is int and not kwargs:
            return _Device("cuda", args[0])
        return _Device(*args, **kwargs)
