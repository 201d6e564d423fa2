"""DDIM sampling on a tiny 1-D U-Net."""
import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

_FREQS = {}


def timestep_frequencies(half_dim, max_period, device):
    key = (half_dim, max_period, device)
    if key not in _FREQS:
        exponent = -math.log(max_period) * torch.arange(half_dim, dtype=torch.float32, device=device) / half_dim
        _FREQS[key] = torch.exp(exponent)
    return _FREQS[key]


def timestep_embedding(timesteps, dim, max_period=10000):
    freqs = timestep_frequencies(dim // 2, max_period, timesteps.device)
    args = timesteps[:, None].float() * freqs[None, :]
    emb = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
    if dim % 2:
        emb = F.pad(emb, (0, 1))
    return emb


class ResBlock(nn.Module):
    def __init__(self, cin, cout, temb_dim):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, cin), nn.Conv1d(cin, cout, 3, padding=1)
        self.temb = nn.Linear(temb_dim, cout)
        self.norm2, self.conv2 = nn.GroupNorm(4, cout), nn.Conv1d(cout, cout, 3, padding=1)
        self.skip = nn.Conv1d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, temb):
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.temb(F.silu(temb)).unsqueeze(-1)
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))


class UNet1d(nn.Module):
    def __init__(self, ch=8, temb_dim=16):
        super().__init__()
        self.temb_dim = temb_dim
        self.time_mlp = nn.Sequential(nn.Linear(temb_dim, temb_dim), nn.SiLU(), nn.Linear(temb_dim, temb_dim))
        self.stem = nn.Conv1d(1, ch, 3, padding=1)
        self.down = ResBlock(ch, 2 * ch, temb_dim)
        self.mid = ResBlock(2 * ch, 2 * ch, temb_dim)
        self.up = ResBlock(3 * ch, ch, temb_dim)
        self.head = nn.Conv1d(ch, 1, 3, padding=1)

    def forward(self, x, t):
        temb = self.time_mlp(timestep_embedding(t, self.temb_dim))
        h0 = self.stem(x)
        h = self.mid(self.down(F.avg_pool1d(h0, 2), temb), temb)
        h = F.interpolate(h, scale_factor=2, mode="nearest")
        return self.head(self.up(torch.cat([h, h0], dim=1), temb))


def describe(model, length):
    """One-line summary of a model for the log."""
    with torch.no_grad():
        out = model(torch.zeros(1, 1, length), torch.zeros(1, dtype=torch.long))
    n_params = sum(p.numel() for p in model.parameters())
    return f"{type(model).__name__}: {n_params} parameters, output {tuple(out.shape)}"


@dataclass
class Schedule:
    alphas_cumprod: torch.Tensor

    @classmethod
    def linear(cls, steps, device):
        betas = np.linspace(1e-4, 0.02, steps, dtype=np.float64)
        return cls(torch.from_numpy(np.cumprod(1.0 - betas)).float().to(device))

    def add_noise(self, x, noise, t):
        a = self.alphas_cumprod[t].view(-1, 1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise


@torch.no_grad()
def ddim_sample(model, schedule, shape, num_steps=5, eta=0.0):
    device = schedule.alphas_cumprod.device
    total = len(schedule.alphas_cumprod)
    seq = list(range(0, total, total // num_steps))
    x = torch.randn(shape, device=device)
    for i, j in zip(reversed(seq), reversed([-1] + seq[:-1])):
        t = torch.full((shape[0],), i, device=device)
        a_t = schedule.alphas_cumprod[i]
        a_prev = schedule.alphas_cumprod[j] if j >= 0 else torch.tensor(1.0)
        eps = model(x, t)
        x0 = (x - (1 - a_t).sqrt() * eps) / a_t.sqrt()
        sigma = eta * ((1 - a_prev) / (1 - a_t) * (1 - a_t / a_prev)).sqrt()
        x = a_prev.sqrt() * x0 + (1 - a_prev - sigma**2).clamp(min=0).sqrt() * eps + sigma * torch.randn_like(x)
    return x


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = UNet1d()
    print(describe(model, length=16))
    model = model.to(device)
    schedule = Schedule.linear(20, device)
    optim = torch.optim.Adam(model.parameters(), lr=1e-3)
    grid = torch.linspace(0, 2 * math.pi, 16)
    for step in range(4):
        x = torch.sin(grid + 6.28 * torch.rand(8, 1, 1)).to(device)
        t = torch.randint(0, 20, (len(x),), device=device)
        noise = torch.randn_like(x)
        loss = F.mse_loss(model(schedule.add_noise(x, noise, t), t), noise)
        optim.zero_grad()
        loss.backward()
        optim.step()
        print(f"step {step}: {loss.item():.4f}")
    samples = ddim_sample(model, schedule, (4, 1, 16))
    print("samples", samples.mean().item(), samples.std().item())


if __name__ == "__main__":
    main()
