# Circular distributions.
#
# The Bessel functions follow the polynomial approximations of Abramowitz and Stegun (9.8.1 - 9.8.4).
import math

import torch
from torch.distributions import Distribution, constraints
from torch.distributions.utils import broadcast_all

_I0_COEF_SMALL = torch.tensor([1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2],
                              dtype=torch.float64)
_I0_COEF_LARGE = [0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2,
                  -0.2057706e-1, 0.2635537e-1, -0.1647633e-1, 0.392377e-2]
_I1_COEF_SMALL = [0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3]
_HALF_LOG_2PI = torch.tensor(0.5 * math.log(2 * math.pi))


def _eval_poly(y, coef):
    coef = list(coef)
    result = coef.pop()
    while coef:
        result = coef.pop() + y * result
    return result


def _powers(y, n):
    exponent = torch.arange(n, device=y.device, dtype=y.dtype)
    return y.unsqueeze(-1).pow(exponent)


def log_modified_bessel_i0(x):
    """Logarithm of the modified Bessel function of order zero, for ``x >= 0``."""
    small = torch.matmul(_powers((x / 3.75).pow(2).clamp(max=1.0), 7), _I0_COEF_SMALL.to(x))
    safe = x.clamp(min=3.75)
    large = safe - 0.5 * safe.log() + _eval_poly(3.75 / safe, _I0_COEF_LARGE).log()
    return torch.where(x < 3.75, small.log(), large)


def bessel_ratio(x, steps=24):
    """``I1(x) / I0(x)`` with a continued fraction (Amos)."""
    r = x / (steps * 2.0 + x)
    for k in range(steps, 0, -1):
        r = 1.0 / (2.0 * k / x + r)
    return r


class CircularMixin(object):
    """Wraps samples into [-pi, pi)."""

    @staticmethod
    def wrap(value):
        return (value + math.pi) % (2 * math.pi) - math.pi

    def circular_distance(self, a, b):
        return 1 - torch.cos(a - b)


class WrappedNormal(CircularMixin, Distribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, n_terms=5, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        self.n_terms = n_terms
        super(WrappedNormal, self).__init__(self.loc.shape, validate_args=validate_args)

    def log_prob(self, value):
        k = torch.arange(-self.n_terms, self.n_terms + 1, device=value.device, dtype=value.dtype)
        z = (value.unsqueeze(-1) - self.loc.unsqueeze(-1) + 2 * math.pi * k) / self.scale.unsqueeze(-1)
        return torch.logsumexp(-0.5 * z * z, -1) - self.scale.log() - _HALF_LOG_2PI

    def rsample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        eps = torch.randn(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.wrap(self.loc + eps * self.scale)


class VonMises(CircularMixin, Distribution):
    """Von Mises distribution with mean ``loc`` and concentration ``concentration``."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        tau = 1 + (1 + 4 * self.concentration ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * self.concentration)
        self._proposal_r = (1 + rho ** 2) / (2 * rho)
        super(VonMises, self).__init__(self.loc.shape, validate_args=validate_args)

    def log_prob(self, value):
        log_prob = self.concentration * torch.cos(value - self.loc)
        return log_prob - math.log(2 * math.pi) - log_modified_bessel_i0(self.concentration)

    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        x = torch.empty(shape, dtype=self.loc.dtype, device=self.loc.device)
        done = torch.zeros(shape, dtype=torch.bool, device=self.loc.device)
        conc, r = self.concentration.expand(shape), self._proposal_r.expand(shape)
        while not done.all():
            u = torch.rand((3,) + tuple(shape), dtype=x.dtype, device=x.device)
            z = torch.cos(math.pi * u[0])
            f = (1 + r * z) / (r + z)
            c = conc * (r - f)
            accept = ((c * (2 - c) - u[1]) > 0) | ((c / u[1]).log() + 1 - c >= 0)
            x = torch.where(accept & ~done, (u[2] - 0.5).sign() * f.clamp(-1, 1).acos(), x)
            done = done | accept
        return self.wrap(x + self.loc)

    @property
    def mean(self):
        return self.loc

    @property
    def variance(self):
        return 1 - bessel_ratio(self.concentration)
