"""The operators of `SyncBatchNorm`, which have kernels for CUDA alone, from those of the CPU."""

from __future__ import annotations

from typing import Any

import torch

from devlint.confirm.torch_patches.session import Emulation


def install(emulation: Emulation) -> None:
    functions = (_stats, _gather_stats_with_counts, _elemt, _backward_reduce, _backward_elemt)
    emulation.patches.put_all(torch, {f"batch_norm{each.__name__}": each for each in functions})


def _stats(input: Any, eps: float) -> tuple[Any, Any]:
    rows = _rows(input)
    return rows.mean(0), (rows.var(0, correction=0) + eps).rsqrt()


def _gather_stats_with_counts(
    input: Any,
    mean: Any,
    invstd: Any,
    running_mean: Any,
    running_var: Any,
    momentum: float,
    eps: float,
    counts: Any,
) -> tuple[Any, Any]:
    """Of all processes, which have a row each."""
    shares = (counts / counts.sum())[:, None]
    center = (mean * shares).sum(0)
    variance = ((invstd**-2 - eps + (mean - center) ** 2) * shares).sum(0)
    if running_mean is not None:
        total = counts.sum()
        running_mean.lerp_(center.to(running_mean.dtype), momentum)
        running_var.lerp_((variance * total / (total - 1)).to(running_var.dtype), momentum)
    return center, (variance + eps).rsqrt()


def _elemt(input: Any, weight: Any, bias: Any, mean: Any, invstd: Any, eps: float) -> Any:
    rows = (_rows(input) - mean) * invstd
    rows = rows if weight is None else rows * weight
    return _like(input, rows if bias is None else rows + bias)


def _backward_reduce(
    grad_out: Any, input: Any, mean: Any, invstd: Any, weight: Any, *wanted: bool
) -> tuple[Any, Any, Any, Any]:
    gradient = _rows(grad_out)
    total, moment = gradient.sum(0), (gradient * (_rows(input) - mean)).sum(0)
    if weight is None:
        return total, moment, None, None
    return total, moment, (moment * invstd).to(weight.dtype), total.to(weight.dtype)


def _backward_elemt(
    grad_out: Any,
    input: Any,
    mean: Any,
    invstd: Any,
    weight: Any,
    sum_dy: Any,
    sum_dy_xmu: Any,
    count: Any,
) -> Any:
    total = count.sum()
    slope = (_rows(input) - mean) * invstd**2 * (sum_dy_xmu / total)
    rows = (_rows(grad_out) - sum_dy / total - slope) * invstd
    return _like(input, rows if weight is None else rows * weight)


def _rows(input: Any) -> Any:
    """A column for each channel, in the type that CUDA adds up in."""
    return input.movedim(1, -1).flatten(0, -2).to(torch.promote_types(input.dtype, torch.float32))


def _like(input: Any, rows: Any) -> Any:
    return rows.view(input.movedim(1, -1).shape).movedim(-1, 1).to(input.dtype)
