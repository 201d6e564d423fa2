"""Physics-informed network for the viscous Burgers equation u_t + u u_x = nu u_xx on [-1, 1] x [0, 1]."""
import math
import time

import numpy as np
import torch
import torch.nn as nn
from torch.quasirandom import SobolEngine
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1234)
np.random.seed(1234)

NU = 0.01 / math.pi


class FourierMLP(nn.Module):
    def __init__(self, layers, n_freq=4):
        super().__init__()
        self.register_buffer("freqs", math.pi * torch.arange(1, n_freq + 1))
        dims = [2 + 2 * n_freq] + layers + [1]
        self.linears = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))
        for lin in self.linears:
            nn.init.xavier_normal_(lin.weight)
            nn.init.zeros_(lin.bias)

    def forward(self, x, t):
        phase = x * self.freqs
        h = torch.cat([x, t, torch.sin(phase), torch.cos(phase)], dim=1)
        for lin in self.linears[:-1]:
            h = torch.tanh(lin(h))
        return self.linears[-1](h)


class BurgersProblem:
    """Collocation, initial and boundary points, built once on the active device."""

    def __init__(self, n_f=64, n_i=16, n_b=16):
        lower, upper = torch.tensor([-1.0, 0.0]), torch.tensor([1.0, 1.0])
        sobol = SobolEngine(2, scramble=True, seed=0)
        unit = sobol.draw(n_f).to(lower.device)
        self.collocation = lower + (upper - lower) * unit
        x0 = torch.linspace(-1, 1, n_i).unsqueeze(1)
        self.initial = (x0, torch.zeros_like(x0), -torch.sin(math.pi * x0))
        tb = torch.rand(n_b, 1)
        sides = torch.where(torch.rand(n_b, 1) < 0.5, -1.0, 1.0)
        self.boundary = (sides, tb, torch.zeros(n_b, 1))

    def loader(self, batch_size):
        return DataLoader(TensorDataset(self.collocation), batch_size=batch_size, shuffle=True,
                          generator=torch.Generator(device=self.collocation.device))


def derivative(y, x):
    return torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y), create_graph=True)[0]


def residual(net, points):
    x = points[:, :1].clone().requires_grad_(True)
    t = points[:, 1:].clone().requires_grad_(True)
    u = net(x, t)
    u_t, u_x = derivative(u, t), derivative(u, x)
    u_xx = derivative(u_x, x)
    return u_t + u * u_x - NU * u_xx


def data_loss(net, triple):
    x, t, u = triple
    return (net(x, t) - u).pow(2).mean()


class GradNormWeights:
    """Balance the terms by the ratio of their gradient norms (Wang et al., 2021)."""

    def __init__(self, n, alpha=0.9):
        self.alpha = alpha
        self.w = torch.ones(n)

    def update(self, net, losses):
        norms = []
        for loss in losses:
            grads = torch.autograd.grad(loss, list(net.parameters()), retain_graph=True, allow_unused=True)
            norms.append(torch.sqrt(sum(g.pow(2).sum() for g in grads if g is not None)))
        norms = torch.stack(norms)
        target = norms.max() / norms.clamp(min=1e-8)
        self.w = self.alpha * self.w + (1 - self.alpha) * target.detach()


def train(net, problem, epochs=3, batch_size=16):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)
    weights = GradNormWeights(3)
    loader = problem.loader(batch_size)
    for epoch in range(epochs):
        tic = time.perf_counter()
        for i, (points,) in enumerate(loader):
            terms = torch.stack([
                residual(net, points).pow(2).mean(),
                data_loss(net, problem.initial),
                data_loss(net, problem.boundary),
            ])
            if i == 0:
                weights.update(net, terms)
            loss = (weights.w * terms).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        parts = " ".join(f"{v:.3e}" for v in terms.tolist())
        print(f"epoch {epoch} loss {loss.item():.3e} [{parts}] {time.perf_counter() - tic:.2f}s")


def snapshot(net, n=9):
    x, t = torch.meshgrid(torch.linspace(-1, 1, n), torch.linspace(0, 1, n), indexing="ij")
    with torch.no_grad():
        u = net(x.reshape(-1, 1), t.reshape(-1, 1)).reshape(n, n)
    return u.cpu().numpy()


if __name__ == "__main__":
    if torch.cuda.is_available():
        torch.set_default_device("cuda")
    net = FourierMLP([20, 20])
    train(net, BurgersProblem())
    print("max |u|", np.abs(snapshot(net)).max().round(4))
