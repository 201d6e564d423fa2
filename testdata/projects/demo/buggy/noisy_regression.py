"""Fit a line through noisy points, the same way on every run."""

import torch
from torch import nn


class SeededDropout(nn.Module):
    """Dropout that drops the same units on every run."""

    def __init__(self, p: float, seed: int) -> None:
        super().__init__()
        self.p = p
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return x
        kept = torch.rand(x.shape, generator=self.generator, device=x.device) > self.p
        return x * kept / (1 - self.p)


def sample(points: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    order = torch.randperm(len(points), generator=generator, device=points.device)
    return points[order[:count]]


def main() -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = torch.Generator().manual_seed(0)
    x = torch.linspace(-1, 1, 256, device=device).unsqueeze(1)
    noise = torch.randn(256, 1, generator=generator, device=device)
    points = torch.cat([x, 3 * x + 0.1 * noise], dim=1)

    model = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), SeededDropout(0.2, 0), nn.Linear(32, 1))
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(100):
        batch = sample(points, 32, generator)
        loss = nn.functional.mse_loss(model(batch[:, :1]), batch[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
