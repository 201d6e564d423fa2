"""Variational layers: priors, posteriors and normalizing flows for VAEs."""
from typing import Callable, Dict, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical, Distribution, Independent, MixtureSameFamily, Normal, kl_divergence
from torch.distributions.kl import register_kl

PRIORS: Dict[str, Callable[..., "Prior"]] = {}


class Prior(nn.Module):
    """A distribution over the latent space; subclasses implement :meth:`distribution`."""

    def __init_subclass__(cls, name: Optional[str] = None, **kwargs):
        super().__init_subclass__(**kwargs)
        if name is not None:
            PRIORS[name] = cls

    def __init__(self, latent_dim: int):
        super().__init__()
        self.latent_dim = latent_dim

    def distribution(self) -> Distribution:
        raise NotImplementedError

    @property
    def is_analytic(self) -> bool:
        return False

    def sample(self, n: int) -> torch.Tensor:
        with torch.no_grad():
            return self.distribution().sample((n,))


class StandardNormalPrior(Prior, name="normal"):
    def __init__(self, latent_dim: int):
        super().__init__(latent_dim)
        self.register_buffer("loc", torch.zeros(latent_dim), persistent=False)
        self.register_buffer("scale", torch.ones(latent_dim), persistent=False)

    def distribution(self) -> Distribution:
        return Independent(Normal(self.loc, self.scale), 1)

    @property
    def is_analytic(self) -> bool:
        return True


class MixturePrior(Prior, name="mixture"):
    """Mixture of diagonal Gaussians with learned components."""

    def __init__(self, latent_dim: int, components: int = 8, spread: float = 2.0):
        super().__init__(latent_dim)
        self.loc = nn.Parameter(torch.randn(components, latent_dim) * spread)
        self.raw_scale = nn.Parameter(torch.zeros(components, latent_dim))
        self.register_buffer("logits", torch.zeros(components))

    def distribution(self) -> Distribution:
        comp = Independent(Normal(self.loc, F.softplus(self.raw_scale) + 1e-3), 1)
        return MixtureSameFamily(Categorical(logits=self.logits), comp)


class VampPrior(Prior, name="vamp"):
    def __init__(self, latent_dim: int, encoder: nn.Module, in_features: int, components: int = 8):
        super().__init__(latent_dim)
        self.pseudo_inputs = nn.Parameter(torch.rand(components, in_features))
        # in a tuple, not to register the parameters of the encoder twice
        self._encoder = (encoder,)

    def distribution(self) -> Distribution:
        posterior = self._encoder[0](self.pseudo_inputs)
        weights = torch.ones(len(self.pseudo_inputs), device=self.pseudo_inputs.device)
        return MixtureSameFamily(Categorical(weights), posterior)


def build_prior(name: str, latent_dim: int, **kwargs) -> Prior:
    if name not in PRIORS:
        raise ValueError(f"Unknown prior {name!r}; choose from {sorted(PRIORS)}")
    return PRIORS[name](latent_dim, **kwargs)


@register_kl(Independent, MixtureSameFamily)
def _kl_independent_mixture(p: Independent, q: MixtureSameFamily) -> torch.Tensor:
    """One-sample Monte Carlo estimate."""
    z = p.rsample()
    return p.log_prob(z) - q.log_prob(z)


class GaussianEncoder(nn.Module):
    def __init__(self, in_features: int, latent_dim: int, hidden: int = 32, min_scale: float = 1e-4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(in_features, hidden), nn.ELU(), nn.Linear(hidden, 2 * latent_dim))
        self.min_scale = torch.tensor(min_scale)

    def forward(self, x: torch.Tensor) -> Independent:
        loc, raw = self.net(x).chunk(2, dim=-1)
        return Independent(Normal(loc, F.softplus(raw) + self.min_scale), 1)


class Annealing:
    """KL weight: linear, or cyclical with ``cycles > 1``."""

    def __init__(self, steps: int, cycles: int = 1, beta: float = 1.0):
        self.schedule = torch.linspace(0, beta, steps).repeat(cycles)
        self.step = 0

    def __call__(self) -> torch.Tensor:
        value = self.schedule[min(self.step, len(self.schedule) - 1)]
        self.step += 1
        return value


class ELBO(nn.Module):
    """Negative evidence lower bound.

    Args:
        prior: see :func:`build_prior`.
        free_bits: lower bound of the KL, in nats.
    """

    def __init__(self, prior: Prior, free_bits: float = 0.0, annealing: Optional[Annealing] = None, samples: int = 1):
        super().__init__()
        self.prior = prior
        self.free_bits = free_bits
        self.annealing = annealing
        self.samples = samples

    def kl(self, posterior: Independent) -> torch.Tensor:
        if self.prior.is_analytic or self.samples == 1:
            return kl_divergence(posterior, self.prior.distribution())
        z = posterior.rsample((self.samples,))
        return (posterior.log_prob(z) - self.prior.distribution().log_prob(z)).mean(0)

    def forward(self, decoder: nn.Module, posterior: Independent, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        z = posterior.rsample()
        reconstruction = F.binary_cross_entropy_with_logits(decoder(z), x, reduction="none").sum(-1)
        kl = self.kl(posterior)
        weight = 1.0 if self.annealing is None else self.annealing()
        return (reconstruction + weight * kl.clamp_min(self.free_bits)).mean(), kl.detach().mean()
