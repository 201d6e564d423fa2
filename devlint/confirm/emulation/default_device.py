"""The default device, which a program may set to one that is not there afterwards."""

from __future__ import annotations

import torch

from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    before = _default()

    def put_back() -> None:
        if _default() is not before:
            torch.set_default_device(before and before.device)

    emulation.patches.undo_by(put_back)


def _default() -> torch.utils._device.DeviceContext | None:
    return getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
