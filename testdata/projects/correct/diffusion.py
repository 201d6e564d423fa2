"""Denoising diffusion on points, with a schedule in buffers and a seeded sampler."""

import torch
from torch import nn


class Diffusion(nn.Module):
    def __init__(self, network: nn.Module, steps: int = 10) -> None:
        super().__init__()
        self.network = network
        self.steps = steps
        betas = torch.linspace(1e-4, 0.2, steps)
        alphas = 1 - betas
        self.register_buffer("betas", betas)
        self.register_buffer("alphas_bar", torch.cumprod(alphas, dim=0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        t = torch.randint(0, self.steps, (x.shape[0],), device=x.device)
        noise = torch.randn_like(x)
        kept = self.alphas_bar[t].unsqueeze(1)
        noisy = kept.sqrt() * x + (1 - kept).sqrt() * noise
        return nn.functional.mse_loss(self.network(noisy, t), noise)

    @torch.no_grad()
    def sample(self, count: int, seed: int, device: torch.device) -> torch.Tensor:
        generator = torch.Generator(device=device).manual_seed(seed)
        x = torch.randn(count, 2, generator=generator, device=device)
        for step in reversed(range(self.steps)):
            t = torch.full((count,), step, dtype=torch.long, device=device)
            noise = torch.randn(count, 2, generator=generator, device=device)
            x = x - self.betas[step] * self.network(x, t) + self.betas[step].sqrt() * noise
        return x


class Network(nn.Module):
    def __init__(self, steps: int = 10) -> None:
        super().__init__()
        self.time = nn.Embedding(steps, 8)
        self.layers = nn.Sequential(nn.Linear(10, 16), nn.SiLU(), nn.Linear(16, 2))

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return self.layers(torch.cat([x, self.time(t)], dim=1))


def main() -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Diffusion(Network()).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    points = torch.randn(64, 2)
    for batch in points.split(16):
        batch = batch.to(device)
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(model.sample(3, 0, device).cpu().tolist())


if __name__ == "__main__":
    main()
