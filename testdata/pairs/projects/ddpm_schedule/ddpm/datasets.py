import math

import torch
from torch.utils.data import DataLoader, TensorDataset


def two_moons_loader(n, batch_size):
    theta = torch.rand(n) * math.pi
    which = torch.rand(n) < 0.5
    x = torch.where(which, theta.cos(), 1 - theta.cos())
    y = torch.where(which, theta.sin(), 0.5 - theta.sin())
    data = torch.stack([x, y], 1) + 0.05 * torch.randn(n, 2)
    data = (data - data.mean(0)) / data.std(0)
    return DataLoader(TensorDataset(data), batch_size=batch_size, shuffle=True)
