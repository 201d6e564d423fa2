"""Attention of jagged nested tensors on CUDA, whose kernels take what the CPU's do not."""

from __future__ import annotations

from functools import wraps
from typing import Any

import torch
from torch.nested._internal import ops, sdpa
from torch.nested._internal.nested_tensor import NestedTensor, nested_view_from_values_offsets

from devlint.confirm.device_tags.tag import is_on_accelerator
from devlint.confirm.torch_patches.session import Emulation

_NAME = "jagged_scaled_dot_product_attention"


def install(emulation: Emulation) -> None:
    original = getattr(ops, _NAME)

    @wraps(original)
    def attention(
        query: Any,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Any:
        given = (query, key, value, attn_mask, dropout_p, is_causal, scale)
        if attn_mask is not None or not all(map(_is_ours, given[:3])):
            return original(*given, enable_gqa)
        sdpa._validate_sdpa_input(*given)
        options = {"is_causal": is_causal, "scale": scale, "enable_gqa": enable_gqa}
        return _one_by_one(query, key, value, dropout_p=dropout_p, **options)

    emulation.patches.put(ops, _NAME, attention)


def _is_ours(tensor: Any) -> bool:
    """Whole sequences of heads, on CUDA; the others go the way that PyTorch has for all devices."""
    if not isinstance(tensor, NestedTensor) or tensor.lengths() is not None:
        return False
    return tensor._ragged_idx == 2 and is_on_accelerator(tensor)


def _one_by_one(query: Any, key: Any, value: Any, **options: Any) -> Any:
    """In any order in memory, and causal too: neither does the CPU take."""
    sequences = zip(query.unbind(), key.unbind(), value.unbind(), strict=True)
    attend = torch.nn.functional.scaled_dot_product_attention
    found = [attend(*(part[None] for part in parts), **options)[0] for parts in sequences]
    values = torch.cat([each.transpose(0, 1) for each in found])
    return nested_view_from_values_offsets(values, query.offsets()).transpose(1, 2)
