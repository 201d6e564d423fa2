from functools import lru_cache
from typing import Optional

import torch
from torch import Tensor


@lru_cache(maxsize=64)
def make_mask(size: int, window: Optional[int] = None) -> Tensor:
    """True where attention is not allowed. Built once for each size."""
    idx = torch.arange(size)
    mask = idx[None, :] > idx[:, None]
    if window is not None:
        mask |= idx[:, None] - idx[None, :] >= window
    return mask
