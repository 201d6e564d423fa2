import torch
from torch import nn
from torch.distributions import Independent, Normal


class Bijection(nn.Module):
    """forward: data -> latent, inverse: latent -> data; both return a log determinant."""

    def inverse(self, z):
        raise NotImplementedError


class Flow(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.register_buffer("base_loc", torch.zeros(dim))
        self.register_buffer("base_scale", torch.ones(dim))
        self.bijections = nn.ModuleList()

    @property
    def base(self):
        return Independent(Normal(self.base_loc, self.base_scale), 1)

    def to_latent(self, x):
        logdet = x.new_zeros(x.size(0))
        for b in self.bijections:
            x, ld = b(x)
            logdet = logdet + ld
        return x, logdet

    def log_prob(self, x):
        z, logdet = self.to_latent(x)
        return self.base.log_prob(z) + logdet

    @torch.no_grad()
    def sample(self, n):
        x = self.base.sample((n,))
        for b in reversed(self.bijections):
            x, _ = b.inverse(x)
        return x
