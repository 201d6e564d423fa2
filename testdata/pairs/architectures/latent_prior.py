"""Variational autoencoders with exchangeable priors and likelihoods."""
import math
from typing import Callable, Dict, NamedTuple, Optional, Sequence

import torch
from torch import Tensor, nn
from torch.distributions import Bernoulli, Categorical, Distribution, Independent, MixtureSameFamily, Normal, kl_divergence

PRIORS: Dict[str, Callable[..., nn.Module]] = {}


def prior(name: str):
    def decorate(cls):
        PRIORS[name] = cls
        return cls
    return decorate


class Elbo(NamedTuple):
    loss: Tensor
    reconstruction: Tensor
    kl: Tensor


def mlp(sizes: Sequence[int], activation=nn.SiLU) -> nn.Sequential:
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(activation())
    return nn.Sequential(*layers)


class Prior(nn.Module):
    """Base: subclasses give a distribution over (d,) latents."""

    def __init__(self, latent_dim: int):
        super().__init__()
        self.latent_dim = latent_dim

    def distribution(self) -> Distribution:
        raise NotImplementedError

    def kl(self, posterior: Independent, z: Tensor) -> Tensor:
        """One-sample estimate; priors with a closed form override it."""
        return posterior.log_prob(z) - self.distribution().log_prob(z)

    def sample(self, n: int) -> Tensor:
        return self.distribution().sample((n,))


@prior("standard")
class StandardNormalPrior(Prior):
    def __init__(self, latent_dim: int):
        super().__init__(latent_dim)
        self.register_buffer("loc", torch.zeros(latent_dim), persistent=False)
        self.register_buffer("scale", torch.ones(latent_dim), persistent=False)

    def distribution(self):
        return Independent(Normal(self.loc, self.scale), 1)

    def kl(self, posterior, z):
        return kl_divergence(posterior, self.distribution())


@prior("learned")
class LearnedNormalPrior(Prior):
    def __init__(self, latent_dim: int):
        super().__init__(latent_dim)
        self.loc = nn.Parameter(torch.zeros(latent_dim))
        self.log_scale = nn.Parameter(torch.zeros(latent_dim))

    def distribution(self):
        return Independent(Normal(self.loc, self.log_scale.exp()), 1)

    def kl(self, posterior, z):
        return kl_divergence(posterior, self.distribution())


@prior("mog")
class MixturePrior(Prior):
    def __init__(self, latent_dim: int, components: int = 8):
        super().__init__(latent_dim)
        self.logits = nn.Parameter(torch.zeros(components))
        self.locs = nn.Parameter(torch.randn(components, latent_dim) / math.sqrt(latent_dim))
        self.register_buffer("scales", torch.ones(components, latent_dim))

    def distribution(self):
        comp = Independent(Normal(self.locs, self.scales), 1)
        return MixtureSameFamily(Categorical(logits=self.logits), comp)


class GaussianHead(nn.Module):
    def __init__(self, in_dim: int, out_dim: int, min_scale: float = 1e-4):
        super().__init__()
        self.proj = nn.Linear(in_dim, 2 * out_dim)
        self.min_scale = min_scale

    def forward(self, h: Tensor) -> Independent:
        loc, raw = self.proj(h).chunk(2, dim=-1)
        return Independent(Normal(loc, nn.functional.softplus(raw) + self.min_scale), 1)


class BernoulliHead(nn.Module):
    def __init__(self, in_dim: int, out_dim: int):
        super().__init__()
        self.proj = nn.Linear(in_dim, out_dim)

    def forward(self, h: Tensor) -> Independent:
        return Independent(Bernoulli(logits=self.proj(h)), 1)


def linear_beta(step: int, warmup: int, final: float = 1.0) -> Tensor:
    """KL weight; a scalar on the CPU."""
    return torch.tensor(final * min(1.0, step / max(warmup, 1)))


class VAE(nn.Module):
    def __init__(self, data_dim: int, latent_dim: int = 8, hidden: Sequence[int] = (64,), prior: str = "standard",
                 likelihood: str = "gaussian", free_bits: float = 0.0, **prior_kwargs):
        super().__init__()
        if prior not in PRIORS:
            raise ValueError(f"unknown prior {prior!r}: {sorted(PRIORS)}")
        if likelihood not in ("gaussian", "bernoulli"):
            raise ValueError(f"unknown likelihood {likelihood!r}")
        self.encoder = nn.Sequential(mlp([data_dim, *hidden]), nn.SiLU(), GaussianHead(hidden[-1], latent_dim))
        head = GaussianHead if likelihood == "gaussian" else BernoulliHead
        self.decoder = nn.Sequential(mlp([latent_dim, *hidden[::-1]]), nn.SiLU(), head(hidden[0], data_dim))
        self.prior = PRIORS[prior](latent_dim, **prior_kwargs)
        self.free_bits = free_bits

    def elbo(self, x: Tensor, beta: Optional[Tensor] = None) -> Elbo:
        posterior = self.encoder(x)
        z = posterior.rsample()
        reconstruction = self.decoder(z).log_prob(x)
        kl = self.prior.kl(posterior, z)
        if self.free_bits > 0:
            kl = torch.maximum(kl, torch.tensor(self.free_bits * self.prior.latent_dim))
        weight = 1.0 if beta is None else beta
        loss = (weight * kl - reconstruction).mean()
        return Elbo(loss, reconstruction.mean().detach(), kl.mean().detach())

    @torch.no_grad()
    def generate(self, n: int) -> Tensor:
        weight = next(self.decoder.parameters())
        return self.decoder(self.prior.sample(n).to(weight)).mean

    @torch.no_grad()
    def active_units(self, x: Tensor, threshold: float = 1e-2) -> int:
        return int((self.encoder(x).mean.var(0) > threshold).sum())
