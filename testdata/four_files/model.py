import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.fc(x))


class Net(nn.Module):
    def __init__(self, width=16, classes=4):
        super().__init__()
        self.blocks = nn.ModuleList([Block(width) for _ in range(2)])
        self.register_buffer("scale", torch.ones(width))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x * self.scale)
