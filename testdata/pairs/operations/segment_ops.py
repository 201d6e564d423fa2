"""Segment (scatter) reductions without a compiled extension."""
from typing import Optional, Tuple

import torch
from torch import Tensor
from torch.autograd import Function

__all__ = ["segment_sum", "segment_mean", "segment_max", "segment_softmax", "SegmentReduce"]


def _num_segments(index: Tensor, num_segments: Optional[int]) -> int:
    if num_segments is not None:
        return int(num_segments)
    return int(index.max()) + 1 if index.numel() > 0 else 0


def _check(src: Tensor, index: Tensor) -> None:
    if index.dim() != 1 or index.numel() != src.size(0):
        raise ValueError("`index` must be one-dimensional with one entry per row of `src`")
    if index.dtype != torch.long:
        raise TypeError("`index` must be a LongTensor")


def _expand(index: Tensor, like: Tensor) -> Tensor:
    return index.view(-1, *([1] * (like.dim() - 1))).expand_as(like)


def segment_sum(src: Tensor, index: Tensor, num_segments: Optional[int] = None) -> Tensor:
    _check(src, index)
    out = src.new_zeros((_num_segments(index, num_segments),) + src.shape[1:])
    return out.index_add_(0, index, src)


def segment_mean(src: Tensor, index: Tensor, num_segments: Optional[int] = None) -> Tensor:
    n = _num_segments(index, num_segments)
    total = segment_sum(src, index, n)
    count = torch.bincount(index, minlength=n).clamp_(min=1)
    return total / count.view(-1, *([1] * (src.dim() - 1))).to(src.dtype)


class _SegmentMax(Function):
    """Maximum of each segment, which remembers the rows it came from so that ties get one gradient only."""

    @staticmethod
    def forward(ctx, src: Tensor, index: Tensor, n: int) -> Tuple[Tensor, Tensor]:
        idx = _expand(index, src)
        out = src.new_full((n,) + src.shape[1:], float("-inf"))
        out = out.scatter_reduce(0, idx, src, reduce="amax", include_self=True)
        rows = torch.arange(src.size(0), device=src.device)
        candidates = torch.where(src == out[index], _expand(rows, src), src.size(0))
        arg = torch.full(out.shape, src.size(0), dtype=torch.long, device=src.device)
        arg = arg.scatter_reduce(0, idx, candidates, reduce="amin", include_self=True)
        out = out.masked_fill(arg == src.size(0), 0)
        ctx.save_for_backward(arg)
        ctx.src_shape = src.shape
        ctx.mark_non_differentiable(arg)
        return out, arg

    @staticmethod
    def backward(ctx, grad_out: Tensor, _grad_arg) -> Tuple[Optional[Tensor], ...]:
        arg, = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None, None
        # one more row for the empty segments
        shape = (ctx.src_shape[0] + 1,) + tuple(ctx.src_shape[1:])
        grad = torch.zeros(shape, dtype=grad_out.dtype, device=grad_out.device)
        grad.scatter_add_(0, arg, grad_out)
        return grad[:-1], None, None


def segment_max(src: Tensor, index: Tensor, num_segments: Optional[int] = None) -> Tuple[Tensor, Tensor]:
    """Maximum and its position. Empty segments are 0 and have the position ``src.size(0)``."""
    _check(src, index)
    return _SegmentMax.apply(src, index, _num_segments(index, num_segments))


def segment_softmax(src: Tensor, index: Tensor, num_segments: Optional[int] = None) -> Tensor:
    _check(src, index)
    n = _num_segments(index, num_segments)
    with torch.no_grad():
        shift = src.new_zeros((n,) + src.shape[1:])
        shift = shift.scatter_reduce(0, _expand(index, src), src, reduce="amax", include_self=False)
    e = torch.exp(src - shift[index])
    return e / (segment_sum(e, index, n)[index] + 1e-16)


class SegmentReduce(torch.nn.Module):
    r"""Readout which concatenates several reductions.

    Args:
        reductions: names, any of ``"sum"``, ``"mean"``, ``"max"``.
    """

    _fns = {
        "sum": segment_sum,
        "mean": segment_mean,
        "max": lambda src, index, n=None: segment_max(src, index, n)[0],
    }

    def __init__(self, reductions=("sum", "max")):
        super().__init__()
        unknown = set(reductions) - set(self._fns)
        if unknown:
            raise ValueError(f"Unknown reductions: {sorted(unknown)}")
        self.reductions = tuple(reductions)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long), persistent=False)

    def forward(self, x: Tensor, batch: Optional[Tensor] = None, batch_size: Optional[int] = None) -> Tensor:
        if batch is None:
            batch = torch.zeros(x.size(0), dtype=torch.long, device=x.device)
        self.calls += 1
        return torch.cat([self._fns[r](x, batch, batch_size) for r in self.reductions], dim=-1)

    def extra_repr(self) -> str:
        return ", ".join(self.reductions)
