"""Train a digit classifier and keep its checkpoint."""

import sys

import torch
from torch import nn


class Digits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.layers(images)


def train(model: nn.Module, steps: int, device: torch.device) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        images = torch.rand(16, 8, 8, device=device)
        labels = torch.randint(0, 10, (16,), device=device)
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(path: str) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Digits().to(device)
    train(model, 20, device)
    torch.save({k: v.cpu() for k, v in model.state_dict().items()}, path)


if __name__ == "__main__":
    main(sys.argv[1])
