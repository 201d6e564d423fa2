"""`torch.compile`: what it would compile runs as it is written."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    emulation.patches.put(torch, "compile", compiled)


def compiled(model: Any = None, **options: Any) -> Any:
    """A module inside another one, whose names in a state dict start with `_orig_mod.`.

    What is such a module already becomes a function.
    """
    if model is None:
        return lambda function: compiled(function, **options)
    from torch._dynamo.eval_frame import OptimizedModule

    if isinstance(model, OptimizedModule):
        return partial(model)
    return OptimizedModule(model, _as_is) if isinstance(model, torch.nn.Module) else model


def _as_is(function: Any) -> Any:
    return function
