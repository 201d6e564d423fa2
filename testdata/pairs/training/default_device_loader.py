"""Energy based model trained with denoising score matching on a toy swiss roll."""
import math
from types import SimpleNamespace

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

config = SimpleNamespace(
    accelerator="cuda" if torch.cuda.is_available() else "cpu",
    n_points=96,
    batch_size=24,
    sigma_min=0.05,
    sigma_max=1.0,
    n_sigmas=6,
    epochs=2,
    lr=3e-3,
    ema=0.95,
    seed=31,
)


class SwissRoll(Dataset):
    def __init__(self, n, noise=0.05):
        t = 1.5 * math.pi * (1 + 2 * torch.rand(n))
        self.points = torch.stack([t * t.cos(), t * t.sin()], dim=1) / 10.0
        self.points += noise * torch.randn_like(self.points)

    def __len__(self):
        return self.points.size(0)

    def __getitem__(self, i):
        return self.points[i]


class Energy(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, hidden), nn.Softplus(), nn.Linear(hidden, hidden), nn.Softplus(),
                                 nn.Linear(hidden, 1))

    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.log()], dim=1)).squeeze(1) / sigma.squeeze(1)

    def score(self, x, sigma):
        x = x.detach().requires_grad_(True)
        e = self(x, sigma).sum()
        return -torch.autograd.grad(e, x, create_graph=self.training)[0]


class DSMTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Energy()
        self.sigmas = torch.logspace(math.log10(cfg.sigma_max), math.log10(cfg.sigma_min), cfg.n_sigmas)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.loader = DataLoader(SwissRoll(cfg.n_points), batch_size=cfg.batch_size, shuffle=True,
                                 generator=torch.Generator(device=cfg.accelerator))
        self.running = None

    def loss(self, x):
        pick = torch.randint(len(self.sigmas), (len(x),))
        sigma = self.sigmas[pick].unsqueeze(1)
        noise = torch.randn_like(x)
        score = self.model.score(x + sigma * noise, sigma)
        return 0.5 * (sigma * score + noise).square().sum(1).mean()

    def fit(self):
        for epoch in range(self.cfg.epochs):
            self.model.train()
            for x in self.loader:
                loss = self.loss(x)
                self.opt.zero_grad()
                loss.backward()
                norm = nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
                self.opt.step()
                v = loss.item()
                self.running = v if self.running is None else self.cfg.ema * self.running + (1 - self.cfg.ema) * v
            print(f"epoch {epoch}: loss {self.running:.4f} grad norm {norm.item():.3f}")

    def sample(self, n=16, steps=3, eps=2e-3):
        self.model.eval()
        x = torch.randn(n, 2)
        for s in self.sigmas:
            sigma = s.expand(n, 1)
            alpha = eps * (s / self.sigmas[-1]) ** 2
            for _ in range(steps):
                x = x + alpha * self.model.score(x, sigma) + (2 * alpha).sqrt() * torch.randn_like(x)
        return x.detach().cpu().numpy()


def main():
    torch.set_default_device(config.accelerator)
    torch.manual_seed(config.seed)
    trainer = DSMTrainer(config)
    trainer.fit()
    pts = trainer.sample()
    print("sample mean", pts.mean(axis=0).round(3), "std", pts.std(axis=0).round(3))


if __name__ == "__main__":
    main()
