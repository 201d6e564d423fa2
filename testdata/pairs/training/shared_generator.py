"""Toy DDPM training with reproducible shuffling and noise."""
import argparse
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class DiffusionConfig:
    timesteps: int = 50
    beta_start: float = 1e-4
    beta_end: float = 0.02
    prediction: str = "eps"


def seed_everything(seed, device):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    return torch.Generator(device=device).manual_seed(seed)


class Denoiser(nn.Module):
    def __init__(self, dim=2, width=32, timesteps=50):
        super().__init__()
        half = width // 2
        freqs = torch.exp(-np.log(10000.0) * torch.arange(half) / half)
        self.register_buffer("freqs", freqs, persistent=False)
        self.net = nn.Sequential(nn.Linear(dim + width, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
                                 nn.Linear(width, dim))

    def forward(self, x, t):
        ang = t.float()[:, None] * self.freqs[None]
        emb = torch.cat([ang.sin(), ang.cos()], dim=-1)
        return self.net(torch.cat([x, emb], dim=-1))


class Diffusion(nn.Module):
    def __init__(self, cfg: DiffusionConfig):
        super().__init__()
        betas = torch.linspace(cfg.beta_start, cfg.beta_end, cfg.timesteps)
        self.register_buffer("alphas_bar", torch.cumprod(1.0 - betas, dim=0))
        self.cfg = cfg

    def q_sample(self, x0, t, noise):
        a = self.alphas_bar[t][:, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def loss(self, model, x0, generator):
        t = torch.randint(0, self.cfg.timesteps, (x0.size(0),), device=x0.device, generator=generator)
        noise = torch.randn(x0.shape, device=x0.device, generator=generator)
        return F.mse_loss(model(self.q_sample(x0, t, noise), t), noise)


def make_moons(n):
    theta = torch.rand(n) * np.pi
    upper = torch.rand(n) < 0.5
    x = torch.stack([theta.cos() + (~upper).float(), torch.where(upper, theta.sin(), 0.5 - theta.sin())], dim=1)
    return x + 0.05 * torch.randn_like(x)


def make_loaders(args, generator):
    data = TensorDataset(make_moons(args.n))
    n_val = args.n // 4
    train, val = random_split(data, [args.n - n_val, n_val], generator=torch.Generator().manual_seed(42))
    train_loader = DataLoader(train, batch_size=args.batch_size, shuffle=True, drop_last=True, generator=generator)
    val_loader = DataLoader(val, batch_size=args.batch_size)
    return train_loader, val_loader


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n", type=int, default=128)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--seed", type=int, default=11)
    ap.add_argument("--no-cuda", action="store_true")
    args = ap.parse_args()
    device = torch.device("cpu" if args.no_cuda or not torch.cuda.is_available() else "cuda")

    generator = seed_everything(args.seed, device)
    train_loader, val_loader = make_loaders(args, torch.Generator().manual_seed(args.seed))
    cfg = DiffusionConfig()
    model = Denoiser(timesteps=cfg.timesteps).to(device)
    diffusion = Diffusion(cfg).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        model.train()
        for (x0,) in train_loader:
            loss = diffusion.loss(model, x0.to(device), generator)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            vals = [diffusion.loss(model, x0.to(device), generator).item() for (x0,) in val_loader]
        print(f"epoch {epoch}: train {loss.item():.4f} val {np.mean(vals):.4f}")


if __name__ == "__main__":
    main()
