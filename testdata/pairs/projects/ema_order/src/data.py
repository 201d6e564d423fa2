from typing import Tuple

import torch
from torch.utils.data import DataLoader, TensorDataset

from src.config import TrainConfig


def _blobs(n: int, size: int = 16) -> torch.Tensor:
    ax = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(ax, ax, indexing="ij")
    c = torch.rand(n, 2, 1, 1) * 2 - 1
    return torch.exp(-((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2) / 0.1).unsqueeze(1)


def build_dataloaders(cfg: TrainConfig) -> Tuple[DataLoader, DataLoader]:
    train = TensorDataset(_blobs(32))
    val = TensorDataset(_blobs(8))
    return (
        DataLoader(train, batch_size=cfg.batch_size, shuffle=True, drop_last=True),
        DataLoader(val, batch_size=cfg.batch_size),
    )
