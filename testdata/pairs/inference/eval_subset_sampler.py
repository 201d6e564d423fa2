"""Denoiser evaluation on a reproducible random subset."""
import math
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, RandomSampler

config = SimpleNamespace(
    seed=2024,
    subset=8,
    batch_size=4,
    timesteps=50,
    eval_steps=(5, 25, 45),
    device="cuda" if torch.cuda.is_available() else "cpu",
)


class Blobs(Dataset):
    def __init__(self, n, size=12):
        grid = torch.linspace(-1, 1, size)
        self.yy, self.xx = torch.meshgrid(grid, grid, indexing="ij")
        self.centers = torch.rand(n, 2) * 1.6 - 0.8

    def __len__(self):
        return len(self.centers)

    def __getitem__(self, i):
        cy, cx = self.centers[i]
        return torch.exp(-((self.yy - cy) ** 2 + (self.xx - cx) ** 2) / 0.1)[None]


class CosineSchedule(nn.Module):
    def __init__(self, timesteps):
        super().__init__()
        t = torch.arange(timesteps + 1) / timesteps
        bar = torch.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
        self.register_buffer("alpha_bar", (bar / bar[0]).clamp(1e-4, 1.0))

    def add_noise(self, x0, noise, t):
        a = self.alpha_bar[t].view(-1, 1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def predict_x0(self, xt, eps, t):
        a = self.alpha_bar[t].view(-1, 1, 1, 1)
        return (xt - (1 - a).sqrt() * eps) / a.sqrt()


class Denoiser(nn.Module):
    def __init__(self, ch=16):
        super().__init__()
        self.t_emb = nn.Sequential(nn.Linear(1, ch), nn.SiLU(), nn.Linear(ch, ch))
        self.inp = nn.Conv2d(1, ch, 3, padding=1)
        self.out = nn.Conv2d(ch, 1, 3, padding=1)

    def forward(self, x, t):
        emb = self.t_emb(t.float().view(-1, 1) / config.timesteps)
        return self.out(F.silu(self.inp(x) + emb[:, :, None, None]))


class Evaluator:
    def __init__(self, dataset, device, seed):
        self.dataset = dataset
        self.device = torch.device(device)
        self.noise_gen = torch.Generator(device=self.device).manual_seed(seed)
        self.sample_gen = torch.Generator().manual_seed(seed)

    def loader(self):
        sampler = RandomSampler(self.dataset, num_samples=config.subset, generator=self.sample_gen)
        return DataLoader(self.dataset, batch_size=config.batch_size, sampler=sampler)

    @torch.no_grad()
    def run(self, model, schedule):
        model.eval()
        sums = {s: 0.0 for s in config.eval_steps}
        psnr = {s: 0.0 for s in config.eval_steps}
        seen = 0
        for x0 in self.loader():
            x0 = x0.to(self.device)
            noise = torch.randn(x0.shape, generator=self.noise_gen, device=self.device)
            for step in config.eval_steps:
                t = torch.full((x0.size(0),), step, dtype=torch.long, device=self.device)
                xt = schedule.add_noise(x0, noise, t)
                eps = model(xt, t)
                sums[step] += F.mse_loss(eps, noise).item() * x0.size(0)
                err = F.mse_loss(schedule.predict_x0(xt, eps, t).clamp(0, 1), x0)
                psnr[step] += -10 * math.log10(max(err.item(), 1e-10)) * x0.size(0)
            seen += x0.size(0)
        return {s: (sums[s] / seen, psnr[s] / seen) for s in config.eval_steps}


def main():
    torch.manual_seed(config.seed)
    device = config.device
    model = Denoiser().to(device)
    schedule = CosineSchedule(config.timesteps).to(device)
    evaluator = Evaluator(Blobs(32), device, config.seed)
    for step, (mse, psnr) in evaluator.run(model, schedule).items():
        print(f"t={step:<3d} eps-mse {mse:.4f}  psnr {psnr:.2f}")


if __name__ == "__main__":
    main()
