"""RealNVP density estimation with fixed permutations between coupling layers."""
from __future__ import annotations

import argparse
import math
from typing import Iterable

import torch
from torch import Tensor, nn
from torch.distributions import Distribution, Independent, Normal


class AffineCoupling(nn.Module):
    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.split = dim // 2
        self.net = nn.Sequential(
            nn.Linear(self.split, hidden), nn.ReLU(), nn.Linear(hidden, 2 * (dim - self.split))
        )
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def _scale_shift(self, x1: Tensor) -> tuple[Tensor, Tensor]:
        log_s, t = self.net(x1).chunk(2, dim=-1)
        return 2.0 * torch.tanh(log_s / 2.0), t

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x1, x2 = x[:, : self.split], x[:, self.split:]
        log_s, t = self._scale_shift(x1)
        return torch.cat([x1, x2 * log_s.exp() + t], dim=-1), log_s.sum(-1)

    def inverse(self, y: Tensor) -> Tensor:
        y1, y2 = y[:, : self.split], y[:, self.split:]
        log_s, t = self._scale_shift(y1)
        return torch.cat([y1, (y2 - t) * (-log_s).exp()], dim=-1)


class Permute(nn.Module):
    def __init__(self, dim: int, generator: torch.Generator) -> None:
        super().__init__()
        self.perm = torch.randperm(dim, generator=generator)
        self.inv = torch.argsort(self.perm)

    def forward(self, x: Tensor) -> tuple[Tensor, float]:
        return x[:, self.perm], 0.0

    def inverse(self, y: Tensor) -> Tensor:
        return y[:, self.inv]


class ActNorm(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.register_buffer("initialised", torch.tensor(False))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        if not self.initialised:
            with torch.no_grad():
                self.log_scale.copy_(-x.std(0).clamp(min=1e-3).log())
                self.shift.copy_(-x.mean(0) * self.log_scale.exp())
                self.initialised.fill_(True)
        return x * self.log_scale.exp() + self.shift, self.log_scale.sum()

    def inverse(self, y: Tensor) -> Tensor:
        return (y - self.shift) * (-self.log_scale).exp()


class Flow(nn.Module):
    def __init__(self, dim: int, layers: Iterable[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.register_buffer("loc", torch.zeros(dim))
        self.register_buffer("scale", torch.ones(dim))

    @property
    def base(self) -> Distribution:
        return Independent(Normal(self.loc, self.scale), 1)

    def transform(self, x: Tensor) -> tuple[Tensor, Tensor]:
        log_det = torch.zeros(x.shape[0], device=x.device)
        for layer in self.layers:
            x, contribution = layer(x)
            log_det = log_det + contribution
        return x, log_det

    def log_prob(self, x: Tensor) -> Tensor:
        z, log_det = self.transform(x)
        return self.base.log_prob(z) + log_det

    @torch.no_grad()
    def sample(self, n: int) -> Tensor:
        x = self.base.sample((n,))
        for layer in reversed(self.layers):
            x = layer.inverse(x)
        return x


def build(dim: int, depth: int, hidden: int, seed: int) -> Flow:
    g = torch.Generator().manual_seed(seed)
    layers: list[nn.Module] = []
    for _ in range(depth):
        layers += [ActNorm(dim), AffineCoupling(dim, hidden), Permute(dim, g)]
    return Flow(dim, layers)


def banana(n: int, dim: int) -> Tensor:
    x = torch.randn(n, dim)
    x[:, 1] += x[:, 0] ** 2 - 1.0
    return x


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--dim", type=int, default=4)
    p.add_argument("--iters", type=int, default=10)
    p.add_argument("--no-cuda", action="store_true")
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")

    torch.manual_seed(0)
    flow = build(args.dim, depth=3, hidden=32, seed=1).to(device)
    opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
    for i in range(args.iters):
        loss = -flow.log_prob(banana(64, args.dim).to(device)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 5 == 0:
            print(f"{i:3d} nats/dim {loss.item() / args.dim:.3f} bits/dim {loss.item() / args.dim / math.log(2):.3f}")
    print("sample mean", flow.sample(128).mean(0).cpu().numpy().round(2))


if __name__ == "__main__":
    main()
