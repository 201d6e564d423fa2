"""Autocast for CUDA, which is that of the CPU here; so autocast for the CPU does nothing."""

from __future__ import annotations

from typing import Any

import torch

from devlint.confirm.torch_patches.session import Emulation

_STATE = (
    "is_autocast_enabled",
    "set_autocast_enabled",
    "get_autocast_dtype",
    "set_autocast_dtype",
)


def install(emulation: Emulation) -> None:
    autocast = torch.amp.autocast_mode.autocast
    default = torch.get_autocast_dtype("cuda")
    initialize = autocast.__init__

    def initialized(
        self: Any,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        is_on = enabled and device_type == "cuda"
        chosen = (dtype or default) if is_on else None
        initialize(self, "cpu", dtype=chosen, enabled=is_on, cache_enabled=cache_enabled)

    emulation.patches.put(autocast, "__init__", initialized)
    for name in _STATE:
        emulation.patches.put_all(torch, {name: _of_cpu(getattr(torch, name))})


def _of_cpu(function: Any) -> Any:
    """The same for the CPU when it is asked for CUDA, with its type or without any."""

    def of_cpu(*args: Any) -> Any:
        if args and isinstance(args[0], str):
            return function("cpu" if args[0] == "cuda" else args[0], *args[1:])
        return function("cpu", *args)

    return of_cpu
