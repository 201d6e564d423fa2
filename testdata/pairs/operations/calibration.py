"""Calibration of classifiers: expected calibration error, reliability diagrams, temperature scaling."""
from __future__ import annotations

from typing import Literal, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

Norm = Literal["l1", "l2", "max"]


def _format_inputs(preds: Tensor, target: Tensor, ignore_index: int | None = None) -> tuple[Tensor, Tensor]:
    """Flatten to ``[N, C]`` probabilities and ``[N]`` labels."""
    if preds.ndim == target.ndim + 1:
        preds = preds.movedim(1, -1).flatten(0, -2)
        target = target.flatten()
    elif preds.ndim == target.ndim:
        preds, target = preds.flatten(), target.flatten()
        preds = torch.stack([1 - preds, preds], dim=-1)
    else:
        raise ValueError(f"preds {tuple(preds.shape)} and target {tuple(target.shape)} do not fit")
    if ignore_index is not None:
        keep = target != ignore_index
        preds, target = preds[keep], target[keep]
    if preds.numel() and (preds.min() < 0 or preds.max() > 1):
        preds = preds.softmax(dim=-1)
    return preds, target


def _uniform_boundaries(
    n_bins: int, dtype: torch.dtype = torch.float32, device: torch.device | None = None
) -> Tensor:
    return torch.linspace(0, 1, n_bins + 1, dtype=dtype, device=device)


def _quantile_boundaries(confidences: Tensor, n_bins: int) -> Tensor:
    """Boundaries for which each bin has about the same number of samples."""
    q = torch.linspace(0, 1, n_bins + 1, dtype=confidences.dtype, device=confidences.device)
    edges = torch.quantile(confidences, q)
    edges[0], edges[-1] = 0.0, 1.0
    return edges


def _binning(confidences: Tensor, accuracies: Tensor, boundaries: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    n_bins = boundaries.numel() - 1
    accuracies = accuracies.to(confidences.dtype)
    indices = (torch.bucketize(confidences, boundaries, right=True) - 1).clamp(0, n_bins - 1)
    count = torch.bincount(indices, minlength=n_bins).to(confidences.dtype)
    conf = torch.bincount(indices, weights=confidences, minlength=n_bins)
    acc = torch.bincount(indices, weights=accuracies, minlength=n_bins)
    safe = count.clamp(min=1)
    return acc / safe, conf / safe, count / count.sum().clamp(min=1)


def _reduce(acc: Tensor, conf: Tensor, prop: Tensor, norm: Norm) -> Tensor:
    gap = (acc - conf).abs()
    if norm == "l1":
        return (gap * prop).sum()
    if norm == "max":
        return gap[prop > 0].max() if bool((prop > 0).any()) else gap.new_zeros(())
    if norm == "l2":
        return (gap.square() * prop).sum().sqrt()
    raise ValueError(f"Norm {norm} is not supported")


def calibration_error(
    preds: Tensor,
    target: Tensor,
    n_bins: int = 15,
    norm: Norm = "l1",
    adaptive: bool = False,
    ignore_index: int | None = None,
) -> Tensor:
    """Top-label calibration error of probabilities or logits.

    With ``adaptive=True`` the bins hold the same number of samples instead of having the same width.
    """
    if n_bins <= 0:
        raise ValueError(f"Expected argument `n_bins` to be larger than 0, got {n_bins}")
    preds, target = _format_inputs(preds, target, ignore_index)
    confidences, labels = preds.max(dim=-1)
    if adaptive:
        edges = _quantile_boundaries(confidences, n_bins)
    else:
        edges = _uniform_boundaries(n_bins, preds.dtype, preds.device)
    return _reduce(*_binning(confidences, labels == target, edges), norm)


class ReliabilityDiagram:
    """Collects histograms on the host, for plots."""

    def __init__(self, n_bins: int = 10) -> None:
        self.boundaries = _uniform_boundaries(n_bins)
        self.count = np.zeros(n_bins)
        self.hits = np.zeros(n_bins)

    def update(self, preds: Tensor, target: Tensor) -> None:
        preds, target = _format_inputs(preds.detach().cpu(), target.cpu())
        confidences, labels = preds.max(dim=-1)
        index = (torch.bucketize(confidences, self.boundaries.to(confidences.dtype)) - 1).clamp(min=0).numpy()
        np.add.at(self.count, index, 1)
        np.add.at(self.hits, index, (labels == target).numpy())

    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        centers = (self.boundaries[1:] + self.boundaries[:-1]) / 2
        with np.errstate(invalid="ignore"):
            return centers.numpy(), self.hits / self.count


class TemperatureScaling(nn.Module):
    def __init__(self, init: float = 1.0, max_iter: int = 20) -> None:
        super().__init__()
        self.log_temperature = nn.Parameter(torch.tensor(float(init)).log())
        self.max_iter = max_iter

    def forward(self, logits: Tensor) -> Tensor:
        return logits / self.log_temperature.exp()

    def fit(self, batches: Sequence[tuple[Tensor, Tensor]]) -> float:
        logits = torch.cat([b[0].detach() for b in batches]).to(self.log_temperature)
        labels = torch.cat([b[1] for b in batches]).to(logits.device)
        optimizer = torch.optim.LBFGS([self.log_temperature], lr=0.1, max_iter=self.max_iter)

        def closure() -> Tensor:
            optimizer.zero_grad()
            loss = F.cross_entropy(self(logits), labels)
            loss.backward()
            return loss

        optimizer.step(closure)
        return float(closure())
