"""Combining the gradients of several tasks."""
import random
from typing import Callable, Dict, List, Optional, Sequence

import torch
from torch import Tensor, nn

_COMBINERS: Dict[str, Callable[[Tensor], Tensor]] = {}


def combiner(name: str):
    def decorate(fn):
        _COMBINERS[name] = fn
        return fn

    return decorate


@combiner("sum")
def _sum(grads: Tensor) -> Tensor:
    return grads.sum(0)


@combiner("mean")
def _mean(grads: Tensor) -> Tensor:
    return grads.mean(0)


@combiner("pcgrad")
def _pcgrad(grads: Tensor) -> Tensor:
    """Project conflicting gradients (Yu et al., 2020)."""
    projected = grads.clone()
    order = list(range(len(grads)))
    for i in range(len(grads)):
        random.shuffle(order)
        for j in order:
            if j == i:
                continue
            dot = torch.dot(projected[i], grads[j])
            if dot < 0:
                projected[i] -= dot / grads[j].pow(2).sum().clamp(min=1e-12) * grads[j]
    return projected.sum(0)


@combiner("graddrop")
def _graddrop(grads: Tensor) -> Tensor:
    """Keeps one sign per coordinate (Chen et al., 2020)."""
    purity = 0.5 * (1 + grads.sum(0) / grads.abs().sum(0).clamp(min=1e-12))
    keep_positive = purity > torch.rand_like(purity)
    mask = torch.where(keep_positive, grads > 0, grads < 0)
    return (grads * mask).sum(0)


def flatten_grads(params: Sequence[nn.Parameter], grads: Sequence[Optional[Tensor]]) -> Tensor:
    """One vector of all gradients; parameters that a loss does not reach count as zero."""
    pieces = []
    for p, g in zip(params, grads):
        if g is None:
            g = torch.zeros(p.numel(), dtype=p.dtype, device=p.device)
        elif g.is_sparse:
            g = g.to_dense()
        pieces.append(g.reshape(-1))
    return torch.cat(pieces)


def unflatten_into_grads(params: Sequence[nn.Parameter], vector: Tensor) -> None:
    offset = 0
    for p in params:
        n = p.numel()
        piece = vector[offset : offset + n].view_as(p)
        if p.grad is None:
            p.grad = piece.clone()
        else:
            p.grad.add_(piece)
        offset += n
    if offset != vector.numel():
        raise ValueError(f"vector has {vector.numel()} elements, parameters have {offset}")


def global_grad_norm(params, norm_type: float = 2.0) -> Tensor:
    norms = [p.grad.detach().norm(norm_type) for p in params if p.grad is not None]
    if not norms:
        return torch.tensor(0.0)
    return torch.stack([n.to(norms[0].device) for n in norms]).norm(norm_type)


class MultiTaskBackward:
    """Replaces ``sum(losses).backward()`` in multi-task training.

    Args:
        shared: parameters whose gradients are combined.
        method: one of the registered combiners.
        task_params: parameters of the heads, these simply get the sum.
        max_norm: clips the gradient of every task before it is combined.
    """

    def __init__(
        self,
        shared: Sequence[nn.Parameter],
        method: str = "pcgrad",
        task_params: Sequence[nn.Parameter] = (),
        max_norm: Optional[float] = None,
    ) -> None:
        if method not in _COMBINERS:
            raise ValueError(f"unknown method {method!r}, available: {', '.join(_COMBINERS)}")
        self.shared: List[nn.Parameter] = [p for p in shared if p.requires_grad]
        self.task_params: List[nn.Parameter] = [p for p in task_params if p.requires_grad]
        self.method = method
        self.max_norm = max_norm
        self.conflicts = 0

    def __call__(self, losses: Sequence[Tensor]) -> Tensor:
        if len(losses) == 0:
            raise ValueError("no losses")
        rows = []
        for i, loss in enumerate(losses):
            params = self.shared + self.task_params
            grads = torch.autograd.grad(loss, params, retain_graph=i + 1 < len(losses), allow_unused=True)
            for p, g in zip(self.task_params, grads[len(self.shared) :]):
                if g is not None:
                    p.grad = g if p.grad is None else p.grad + g
            row = flatten_grads(self.shared, grads[: len(self.shared)])
            if self.max_norm is not None:
                row = row * (self.max_norm / row.norm().clamp(min=self.max_norm))
            rows.append(row)
        stacked = torch.stack(rows)
        self.conflicts += int(((stacked @ stacked.t()) < 0).sum().item() // 2)
        unflatten_into_grads(self.shared, _COMBINERS[self.method](stacked))
        return torch.stack([l.detach() for l in losses]).sum()
