"""The CUDA that is really there."""

from __future__ import annotations

import torch


def has_cuda() -> bool:
    return bool(torch.cuda.is_available())


def cuda() -> str:
    """What a program runs on, in words."""
    return f"CUDA, {torch.cuda.get_device_name()}"
