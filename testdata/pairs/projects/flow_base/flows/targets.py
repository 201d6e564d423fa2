import math

import numpy as np
import torch


class Rings:
    def __init__(self, radii=(1.0, 2.0), noise=0.05):
        self.radii = torch.tensor(radii)
        self.noise = noise

    def sample(self, n):
        r = self.radii[torch.randint(len(self.radii), (n,))]
        theta = 2 * math.pi * torch.rand(n)
        x = torch.stack([r * theta.cos(), r * theta.sin()], dim=1)
        return x + self.noise * torch.randn_like(x)


class Checkerboard:
    def sample(self, n):
        x1 = np.random.rand(n) * 4 - 2
        x2 = np.random.rand(n) - np.random.randint(0, 2, n) * 2 + np.floor(x1) % 2
        return torch.from_numpy(np.stack([x1, x2 * 2], 1)).float()


TARGETS = {"rings": Rings, "checkerboard": Checkerboard}
