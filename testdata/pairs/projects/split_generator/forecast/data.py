import math

import torch
from torch.utils.data import DataLoader, Dataset, random_split


class SensorSeries(Dataset):
    def __init__(self, n, length):
        t = torch.arange(length, dtype=torch.float32)
        freq = 0.2 + 0.6 * torch.rand(n, 1)
        phase = 2 * math.pi * torch.rand(n, 1)
        self.values = torch.sin(freq * t + phase) + 0.05 * torch.randn(n, length)

    def __len__(self):
        return self.values.shape[0]

    def __getitem__(self, i):
        return self.values[i]


class DataModule:
    def __init__(self, dataset, conf, rng=None):
        self.dataset, self.conf, self.rng = dataset, conf, rng

    def setup(self):
        n = len(self.dataset)
        n_val = int(n * self.conf.val_frac)
        sizes = [n - 2 * n_val, n_val, n_val]
        self.train, self.val, self.test = random_split(self.dataset, sizes, generator=self.rng)

    def loader(self, name):
        return DataLoader(getattr(self, name), batch_size=self.conf.batch_size, shuffle=name == "train")
