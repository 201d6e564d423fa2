import torch
import torch.nn as nn

from .utils import timestep_embedding


class NoisePredictor(nn.Module):
    def __init__(self, dim, hidden, t_dim=16):
        super().__init__()
        self.t_dim = t_dim
        self.inp = nn.Linear(dim + t_dim, hidden)
        self.mid = nn.ModuleList([nn.Linear(hidden, hidden) for _ in range(2)])
        self.out = nn.Linear(hidden, dim)
        self.act = nn.SiLU()

    def forward(self, x, t):
        h = self.act(self.inp(torch.cat([x, timestep_embedding(t, self.t_dim)], dim=-1)))
        for layer in self.mid:
            h = h + self.act(layer(h))
        return self.out(h)
