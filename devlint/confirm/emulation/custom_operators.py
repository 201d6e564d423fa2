"""Operators that a program defines in Python: the kernel for CUDA runs where CUDA would run it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch._library.custom_ops import OPDEFS

from devlint.confirm.device_tags.tag import is_on_accelerator

_MISSING = (
    "Could not run '{name}' with arguments from the '{backend}' backend. This could be because the "
    "operator doesn't exist for this backend."
)


def kernel(operator: Any, tensors: Sequence[Any]) -> Callable[..., Any] | None:
    """None of an operator that no Python defines.

    Raise what PyTorch raises where there is none for the device of the `tensors`.
    """
    definition = OPDEFS.get(operator._schema.name)
    if definition is None:
        return None
    device = "cuda" if any(map(is_on_accelerator, tensors)) else "cpu"
    kernels = definition._backend_fns
    found = kernels.get(device) or kernels.get(None)
    if found is None:
        raise NotImplementedError(
            _MISSING.format(name=operator._schema.name, backend=device.upper())
        )
    return found  # type: ignore[no-any-return]
