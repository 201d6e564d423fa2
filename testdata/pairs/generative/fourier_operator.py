"""Fourier neural operator for the 1-D heat equation with a pseudo-spectral reference solver."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class TrainConfig:
    n_train: int = 32
    n_test: int = 8
    resolution: int = 32
    modes: int = 6
    width: int = 12
    epochs: int = 3
    batch_size: int = 8
    lr: float = 2e-3
    gpu: bool = torch.cuda.is_available()


class SpectralConv1d(nn.Module):
    def __init__(self, in_channels, out_channels, modes):
        super().__init__()
        self.out_channels = out_channels
        self.modes = modes
        scale = 1 / (in_channels * out_channels)
        self.weights = nn.Parameter(scale * torch.rand(in_channels, out_channels, modes, dtype=torch.cfloat))

    def compl_mul1d(self, a, b):
        return torch.einsum("bix,iox->box", a, b)

    def forward(self, x):
        n = x.size(-1)
        x_ft = torch.fft.rfft(x)
        out_ft = torch.zeros(x.size(0), self.out_channels, n // 2 + 1, dtype=torch.cfloat, device=x.device)
        out_ft[:, :, :self.modes] = self.compl_mul1d(x_ft[:, :, :self.modes], self.weights)
        return torch.fft.irfft(out_ft, n=n)


class FNO1d(nn.Module):
    def __init__(self, modes, width, depth=2):
        super().__init__()
        self.lift = nn.Linear(2, width)
        self.spectral = nn.ModuleList([SpectralConv1d(width, width, modes) for _ in range(depth)])
        self.local = nn.ModuleList([nn.Conv1d(width, width, 1) for _ in range(depth)])
        self.proj = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, 1))

    def get_grid(self, shape, device):
        grid = torch.from_numpy(np.linspace(0, 1, shape[1], dtype=np.float32))
        return grid.reshape(1, -1, 1).repeat(shape[0], 1, 1).to(device)

    def forward(self, x):
        x = torch.cat((x, self.get_grid(x.shape, x.device)), dim=-1)
        x = self.lift(x).permute(0, 2, 1)
        for i, (conv, w) in enumerate(zip(self.spectral, self.local)):
            x1 = conv(x)
            x2 = w(x)
            x = x1 + x2
            if i < len(self.spectral) - 1:
                x = F.gelu(x)
        return self.proj(x.permute(0, 2, 1))


class UnitGaussianNormalizer:
    """Pointwise statistics; starts on the host and is moved on request."""

    def __init__(self, x, eps=1e-5):
        self.mean, self.std, self.eps = x.mean(0), x.std(0), eps

    def encode(self, x):
        return (x - self.mean) / (self.std + self.eps)

    def decode(self, x):
        return x * (self.std + self.eps) + self.mean

    def cuda(self):
        self.mean, self.std = self.mean.cuda(), self.std.cuda()
        return self


class LpLoss:
    def __init__(self, p=2):
        self.p = p

    def __call__(self, x, y):
        b = x.size(0)
        diff = torch.norm(x.reshape(b, -1) - y.reshape(b, -1), self.p, 1)
        return torch.mean(diff / torch.norm(y.reshape(b, -1), self.p, 1))


def solve_heat(u0, t=0.02, nu=0.1):
    n = u0.shape[-1]
    k = 2 * torch.pi * torch.fft.rfftfreq(n, d=1.0 / n)
    return torch.fft.irfft(torch.fft.rfft(u0) * torch.exp(-nu * k.square() * t), n=n)


def random_fields(count, n):
    x = torch.arange(n) / n
    waves = torch.arange(1, 7)
    amp = torch.randn(count, 6) / waves
    phase = 6.2832 * torch.rand(count, 6)
    return (amp[..., None] * torch.sin(6.2832 * waves[:, None] * x + phase[..., None])).sum(1)


def main(cfg):
    torch.manual_seed(0)
    u0 = random_fields(cfg.n_train + cfg.n_test, cfg.resolution)
    u1 = solve_heat(u0)
    a, u = u0.unsqueeze(-1), u1.unsqueeze(-1)
    a_norm, u_norm = UnitGaussianNormalizer(a[:cfg.n_train]), UnitGaussianNormalizer(u[:cfg.n_train])
    a = a_norm.encode(a)
    train = torch.utils.data.TensorDataset(a[:cfg.n_train], u[:cfg.n_train])
    loader = torch.utils.data.DataLoader(train, batch_size=cfg.batch_size, shuffle=True)
    a_test, u_test = a[cfg.n_train:], u[cfg.n_train:]

    model = FNO1d(cfg.modes, cfg.width)
    if cfg.gpu:
        model, u_norm = model.cuda(), u_norm.cuda()
        a_test = a_test.cuda()
    device = next(model.parameters()).device
    loss_fn = LpLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=1e-4)
    for ep in range(cfg.epochs):
        model.train()
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = loss_fn(u_norm.decode(model(x)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            pred = u_norm.decode(model(a_test)).cpu()
        print(f"epoch {ep} train {loss.item():.4f} test {loss_fn(pred, u_test).item():.4f}")


if __name__ == "__main__":
    main(TrainConfig())
