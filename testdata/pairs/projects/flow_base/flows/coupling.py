import torch
from torch import nn

from .base import Bijection


class AffineCoupling(Bijection):
    def __init__(self, dim, hidden, flip):
        super().__init__()
        mask = torch.arange(dim) % 2
        self.register_buffer("mask", (1 - mask if flip else mask).float())
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, 2 * dim))
        self.scale = nn.Parameter(torch.zeros(dim))

    def _params(self, x):
        s, t = self.net(x * self.mask).chunk(2, dim=-1)
        free = 1 - self.mask
        return torch.tanh(s) * self.scale * free, t * free

    def forward(self, x):
        s, t = self._params(x)
        return x * s.exp() + t, s.sum(-1)

    def inverse(self, z):
        s, t = self._params(z)
        return (z - t) * (-s).exp(), -s.sum(-1)


class ActNorm(Bijection):
    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("initialized", torch.tensor(False))

    @torch.no_grad()
    def _init_from(self, x):
        self.loc.copy_(-x.mean(0))
        self.log_scale.copy_(-(x.std(0) + 1e-6).log())
        self.initialized.fill_(True)

    def forward(self, x):
        if self.training and not self.initialized:
            self._init_from(x)
        return (x + self.loc) * self.log_scale.exp(), self.log_scale.sum().expand(x.size(0))

    def inverse(self, z):
        return z * (-self.log_scale).exp() - self.loc, -self.log_scale.sum().expand(z.size(0))
