"""What emulated CUDA does not see into: it is told, so that nobody takes silence for success."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch

from devlint.confirm.device_tags.provenance import birth
from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    record, patches = emulation.record, emulation.patches
    make = torch.Tensor._make_wrapper_subclass

    @wraps(make)
    def made(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(cls, "__tensor_flatten__"):  # What says what is in it is seen into.
            record.overlook("wrapper", cls.__qualname__)
        return make(cls, *args, **kwargs)

    def replay(self: object) -> None:
        record.overlook("graph", ", ".join(f"{path}:{line}" for path, line, _ in birth(1)))

    patches.put(torch.Tensor, "_make_wrapper_subclass", staticmethod(made))
    patches.put(torch.cuda.CUDAGraph, "replay", replay)
