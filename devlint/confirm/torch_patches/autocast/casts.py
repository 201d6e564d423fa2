"""The casts of operands, and those of weights that are kept until autocast ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from devlint.confirm.device_tags.tag import claim_of, claim_storage, holder

_to = torch._C.TensorBase.to
_CAST = (torch.float16, torch.bfloat16, torch.float32)
_MIXED = "Unexpected floating ScalarType in at::autocast::prioritize"


def lower_precision_fp() -> Any:
    return torch.get_autocast_dtype("cuda")


def is_eligible(value: Any) -> bool:
    """Whether autocast casts it; what C++ made may be on CUDA, and so is taken to be there."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return False
    claim = claim_of(value)
    is_on_cuda = claim is not None and (claim.is_open or claim.device.type == "cuda")
    return is_on_cuda and value.dtype != torch.float64


class Casts:
    """`cached_cast` of PyTorch: only what leaves in float32 become in lower precision is kept."""

    def __init__(self, goes_on: bool) -> None:
        self._kept = WeakIdKeyDictionary()
        self._goes_on = goes_on

    def clear(self) -> None:
        self._kept.clear()

    def cast(self, values: Sequence[Any], dtype: Any) -> list[Any]:
        """Those that autocast casts, and in a run that goes on what should have been on CUDA."""
        if self._goes_on and any(map(is_eligible, values)):
            values = _float_like_others(values, dtype)
        return [self._cast(value, dtype) for value in values]

    def _cast(self, value: Any, dtype: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return self.cast(value, dtype)
        if not is_eligible(value) or value.dtype == dtype:
            return value
        return self._kept_cast(value, dtype) if _is_kept(value, dtype) else _to(value, dtype)

    def _kept_cast(self, weight: Any, dtype: Any) -> Any:
        found = self._kept.get(weight)
        if found is None:
            found = self._kept[weight] = _to(weight, dtype)
        return found


def _float_like_others(values: Sequence[Any], dtype: Any) -> list[Any]:
    """On the CPU still, and made where it was."""
    cast = []
    for value in values:
        if isinstance(value, torch.Tensor) and value.dtype in _CAST and not is_eligible(value):
            claim, value = claim_of(value), _to(value, dtype)
            if claim is not None:
                claim_storage(holder(value), claim)
        cast.append(value)
    return cast


def _is_kept(value: Any, dtype: Any) -> bool:
    return bool(
        dtype == lower_precision_fp()
        and value.dtype == torch.float32
        and value.requires_grad
        and value.is_leaf
        and not value._is_view()
        and torch.is_autocast_cache_enabled()
    )


def promoted(values: Iterable[Any]) -> Any:
    """The widest dtype of what is cast.

    Raise CUDA's `RuntimeError` for another one than float32 and that of autocast.
    """
    lower = lower_precision_fp()
    dtypes = {tensor.dtype for value in values for tensor in _eligible(value)}
    if dtypes - {lower, torch.float32}:
        raise RuntimeError(_MIXED)
    return torch.float32 if torch.float32 in dtypes else lower


def _eligible(value: Any) -> Iterator[Any]:
    for each in value if isinstance(value, (list, tuple)) else (value,):
        if is_eligible(each):
            yield each
