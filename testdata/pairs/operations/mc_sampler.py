r"""Monte Carlo acquisition functions: posteriors, samplers for their base samples, and a multi-start optimizer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Callable, Optional

import torch
from torch import Tensor
from torch.nn import Module
from torch.quasirandom import SobolEngine


def draw_sobol_samples(bounds: Tensor, n: int, q: int = 1, seed: Optional[int] = None) -> Tensor:
    r"""Draw ``n x q x d`` qMC samples from the box ``bounds`` (``2 x d``)."""
    lower, upper = bounds
    engine = SobolEngine(q * bounds.shape[-1], scramble=True, seed=seed)
    samples = engine.draw(n, dtype=bounds.dtype).view(n, q, -1)
    return lower + (upper - lower) * samples.to(bounds.device)


def draw_sobol_normal_samples(d: int, n: int, seed: Optional[int] = None, dtype=torch.float) -> Tensor:
    r"""Draw ``n x d`` qMC samples from a standard normal via the inverse CDF."""
    samples = SobolEngine(d, scramble=True, seed=seed).draw(n, dtype=dtype)
    v = 0.5 + (1 - torch.finfo(samples.dtype).eps) * (samples - 0.5)
    return torch.erfinv(2 * v - 1) * math.sqrt(2)


class GaussianPosterior:
    def __init__(self, mean: Tensor, covariance: Tensor) -> None:
        self.mean = mean
        self._root = torch.linalg.cholesky(covariance)

    @property
    def device(self) -> torch.device:
        return self.mean.device

    @property
    def dtype(self) -> torch.dtype:
        return self.mean.dtype

    @property
    def event_shape(self) -> torch.Size:
        return self.mean.shape

    def rsample(self, base_samples: Tensor) -> Tensor:
        return self.mean + (self._root @ base_samples.unsqueeze(-1)).squeeze(-1)


class MCSampler(Module, ABC):
    r"""Samples from a posterior, with base samples which stay the same as long as the shapes do.

    Fixed base samples make the acquisition function deterministic.
    """

    def __init__(self, sample_shape: torch.Size, seed: Optional[int] = None) -> None:
        super().__init__()
        self.sample_shape = torch.Size(sample_shape)
        self.seed = seed if seed is not None else int(torch.randint(0, 1000000, (1,)))
        self.register_buffer("base_samples", None)

    @abstractmethod
    def _construct_base_samples(self, posterior: GaussianPosterior) -> Tensor:
        ...

    def forward(self, posterior: GaussianPosterior) -> Tensor:
        # base samples are shared by all t-batches
        target_shape = self.sample_shape + torch.Size([1] * (len(posterior.event_shape) - 1))
        target_shape = target_shape + posterior.event_shape[-1:]
        if self.base_samples is None or self.base_samples.shape != target_shape:
            self.base_samples = self._construct_base_samples(posterior).view(target_shape)
        return posterior.rsample(self.base_samples.expand(self.sample_shape + posterior.event_shape))


class IIDNormalSampler(MCSampler):
    def _construct_base_samples(self, posterior: GaussianPosterior) -> Tensor:
        shape = self.sample_shape + posterior.event_shape[-1:]
        generator = torch.Generator().manual_seed(self.seed)
        samples = torch.randn(shape, dtype=posterior.dtype, generator=generator)
        return samples.to(posterior.device)


class SobolQMCNormalSampler(MCSampler):
    def _construct_base_samples(self, posterior: GaussianPosterior) -> Tensor:
        d = posterior.event_shape[-1]
        if d > SobolEngine.MAXDIM:
            raise NotImplementedError(f"SobolQMCSampler only supports dimensions q <= {SobolEngine.MAXDIM}")
        samples = draw_sobol_normal_samples(d=d, n=self.sample_shape.numel(), seed=self.seed, dtype=posterior.dtype)
        return samples.to(posterior.device)


def get_sampler(sample_shape: torch.Size, qmc: bool = True, seed: Optional[int] = None) -> MCSampler:
    return (SobolQMCNormalSampler if qmc else IIDNormalSampler)(sample_shape, seed=seed)


class qExpectedImprovement(Module):
    def __init__(self, model: Callable[[Tensor], GaussianPosterior], best_f: float | Tensor,
                 sampler: Optional[MCSampler] = None) -> None:
        super().__init__()
        self.model = model
        self.sampler = sampler if sampler is not None else get_sampler(torch.Size([64]))
        self.register_buffer("best_f", torch.as_tensor(best_f, dtype=torch.float))

    def forward(self, X: Tensor) -> Tensor:
        samples = self.sampler(self.model(X))
        return (samples - self.best_f).clamp_min(0).amax(dim=-1).mean(dim=0)


def optimize_acqf(acq: Module, bounds: Tensor, q: int, num_restarts: int = 4, steps: int = 20,
                  lr: float = 0.05, seed: Optional[int] = None) -> tuple[Tensor, Tensor]:
    r"""Multi-start gradient ascent; returns the best ``q x d`` candidates and their value."""
    X = draw_sobol_samples(bounds, num_restarts, q, seed=seed).requires_grad_(True)
    optimizer = torch.optim.Adam([X], lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        (-acq(X).sum()).backward()
        optimizer.step()
        with torch.no_grad():
            X.copy_(torch.max(torch.min(X, bounds[1]), bounds[0]))
    with torch.no_grad():
        values = acq(X)
    best = int(values.argmax())
    return X.detach()[best], values[best]
