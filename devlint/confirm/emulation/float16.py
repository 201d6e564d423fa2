"""Products of float16, in float32 and rounded: as CUDA adds them up, and fast on a CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch


def is_float16(args: Sequence[Any]) -> bool:
    return isinstance(args[0], torch.Tensor) and args[0].dtype == torch.float16


def by_float32(operator: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    result = operator(*map(_widened, args), **kwargs)
    return tuple(map(_rounded, result)) if isinstance(result, tuple) else _rounded(result)


def _widened(value: Any) -> Any:
    is_tensor = isinstance(value, torch.Tensor)
    return value.float() if is_tensor and value.dtype == torch.float16 else value


def _rounded(value: Any) -> Any:
    return value if value is None else value.half()
