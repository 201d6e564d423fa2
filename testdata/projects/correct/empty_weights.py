"""Build without memory, then fill: everything the module holds is initialised on the device."""

import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, width, length=16):
        super().__init__()
        self.width = width
        self.length = length
        self.register_buffer("angles", torch.empty(length, width // 2), persistent=False)

    def reset_parameters(self):
        half = torch.arange(self.width // 2, device=self.angles.device)
        steps = torch.arange(self.length, device=self.angles.device)
        self.angles.copy_(steps[:, None] / 100 ** (2 * half / self.width)[None, :])

    def forward(self, x):
        angles = self.angles[: x.size(1)]
        first, second = x.chunk(2, dim=-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rotary = Rotary(width)
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return self.linear(self.rotary(x))


def initialised(device):
    with torch.device("meta"):
        model = Block(8)
    model.to_empty(device=device)
    for module in model.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    return model


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = initialised(device)
    out = model(torch.randn(2, 5, 8, device=device))
    scale = torch.ones(8, device=device)
    print((out * scale).sum().item())


if __name__ == "__main__":
    main()
