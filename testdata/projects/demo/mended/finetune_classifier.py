"""Fine-tune a pretrained backbone on two classes."""

import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(3 * 16 * 16, 64), nn.ReLU())
        self.head = nn.Linear(64, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(images))


def batches(count: int):
    for _ in range(count):
        yield torch.randn(8, 3, 16, 16), torch.randint(0, 2, (8,))


def main() -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Backbone()

    for parameter in model.parameters():
        parameter.requires_grad = False
    model.head = nn.Linear(64, 2)
    model.to(device)

    optimizer = torch.optim.AdamW(model.head.parameters(), lr=1e-3)
    for images, labels in batches(20):
        images, labels = images.to(device), labels.to(device)
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
