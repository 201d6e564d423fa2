"""Exact Gaussian process regression: kernels, numerically safe linear algebra and the marginal likelihood."""
from __future__ import annotations

import math
import warnings
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class NotPSDError(RuntimeError):
    pass


class NumericalWarning(RuntimeWarning):
    pass


class settings:
    """Global numerical settings."""

    jitter = {torch.float32: 1e-6, torch.float64: 1e-8}
    max_tries = 6

    @classmethod
    @contextmanager
    def cholesky_max_tries(cls, value: int):
        old, cls.max_tries = cls.max_tries, value
        try:
            yield
        finally:
            cls.max_tries = old


def add_diag(a: Tensor, diag: Tensor | float) -> Tensor:
    """Return ``a + diag * I`` without touching ``a``."""
    out = a.clone()
    out.diagonal(dim1=-2, dim2=-1).add_(diag)
    return out


def psd_safe_cholesky(a: Tensor, jitter: float | None = None) -> Tensor:
    """Cholesky factor of ``a``; small multiples of the identity are added while it is not positive definite."""
    factor, info = torch.linalg.cholesky_ex(a)
    if not torch.any(info):
        return factor
    if torch.isnan(a).any():
        raise NotPSDError(f"cholesky: {int(torch.isnan(a).sum())} of {a.numel()} elements are NaN")

    jitter = settings.jitter.get(a.dtype, 1e-6) if jitter is None else jitter
    eye = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    for i in range(settings.max_tries):
        jitter_i = jitter * 10 ** i
        factor, info = torch.linalg.cholesky_ex(a + jitter_i * eye)
        if not torch.any(info):
            warnings.warn(f"A not p.d., added jitter of {jitter_i:.1e} to the diagonal", NumericalWarning)
            return factor
    raise NotPSDError(f"Matrix not positive definite after adding jitter up to {jitter_i:.1e}")


class Kernel(nn.Module):
    def __init__(self, ard_num_dims: int | None = None, lengthscale: float = 1.0) -> None:
        super().__init__()
        raw = torch.full((1, ard_num_dims or 1), math.log(math.expm1(lengthscale)))
        self.raw_lengthscale = nn.Parameter(raw)

    @property
    def lengthscale(self) -> Tensor:
        return nn.functional.softplus(self.raw_lengthscale)

    def _distance(self, x1: Tensor, x2: Tensor) -> Tensor:
        # centering helps with cancellation for far away inputs
        shift = x1.mean(dim=-2, keepdim=True)
        return torch.cdist((x1 - shift) / self.lengthscale, (x2 - shift) / self.lengthscale)

    def __add__(self, other: "Kernel") -> "SumKernel":
        return SumKernel(self, other)


class RBFKernel(Kernel):
    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return torch.exp(-0.5 * self._distance(x1, x2).square())


class MaternKernel(Kernel):
    def __init__(self, nu: float = 2.5, **kwargs) -> None:
        if nu not in (0.5, 1.5, 2.5):
            raise ValueError("nu expected to be 0.5, 1.5, or 2.5")
        super().__init__(**kwargs)
        self.nu = nu

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        d = self._distance(x1, x2) * math.sqrt(self.nu * 2)
        poly = {0.5: 1.0, 1.5: 1.0 + d, 2.5: 1.0 + d + d ** 2 / 3.0}[self.nu]
        return poly * torch.exp(-d)


class SumKernel(nn.Module):
    def __init__(self, *kernels: nn.Module) -> None:
        super().__init__()
        self.kernels = nn.ModuleList(kernels)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return sum(k(x1, x2) for k in self.kernels)


class ExactGP(nn.Module):
    """Zero mean GP with Gaussian noise."""

    def __init__(self, kernel: nn.Module, noise: float | Tensor = 1e-2) -> None:
        super().__init__()
        self.kernel = kernel
        self.register_buffer("noise", torch.as_tensor(noise))
        self._cache: tuple[Tensor, Tensor, Tensor] | None = None

    def fit(self, x: Tensor, y: Tensor) -> "ExactGP":
        chol = psd_safe_cholesky(add_diag(self.kernel(x, x), self.noise))
        alpha = torch.cholesky_solve(y.unsqueeze(-1), chol)
        self._cache = (x, chol, alpha)
        return self

    def log_marginal_likelihood(self, x: Tensor, y: Tensor) -> Tensor:
        _, chol, alpha = self.fit(x, y)._cache
        fit = -0.5 * (y.unsqueeze(-1) * alpha).sum()
        log_det = chol.diagonal(dim1=-2, dim2=-1).log().sum()
        return fit - log_det - 0.5 * y.numel() * torch.tensor(2 * math.pi).log()

    def predict(self, x: Tensor) -> tuple[Tensor, Tensor]:
        if self._cache is None:
            raise RuntimeError("`fit` has to be called before `predict`")
        train_x, chol, alpha = self._cache
        cross = self.kernel(x, train_x)
        mean = (cross @ alpha).squeeze(-1)
        v = torch.linalg.solve_triangular(chol, cross.mT, upper=False)
        var = self.kernel(x, x).diagonal(dim1=-2, dim2=-1) - v.square().sum(-2)
        return mean, var.clamp_min(0)
