"""A dropout with a generator of its own, made where its input is."""

import torch
from torch import nn


class SeededDropout(nn.Module):
    def __init__(self, p=0.5, seed=0):
        super().__init__()
        self.p = p
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        kept = torch.rand(x.shape, generator=self.generator) >= self.p
        return x * kept.to(x.device) / (1 - self.p)


class GaussianNoise(nn.Module):
    def __init__(self, sigma=0.1):
        super().__init__()
        self.sigma = sigma

    def forward(self, x):
        if self.training:
            x = x + self.sigma * torch.randn_like(x)
        return x


class DropPath(nn.Module):
    def __init__(self, p=0.2):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training:
            return x
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        kept = x.new_empty(shape).bernoulli_(1 - self.p)
        return x * kept / (1 - self.p)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(
    nn.Linear(6, 8), SeededDropout(), GaussianNoise(), nn.ReLU(), DropPath(), nn.Linear(8, 2)
)
model.to(device)
for _ in range(2):
    out = model(torch.randn(4, 6, device=device))
    print(out.sum().item())
