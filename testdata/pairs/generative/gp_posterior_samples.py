import math
import warnings

import torch
from torch import nn
from torch.nn.functional import softplus


def inv_softplus(y):
    return math.log(math.expm1(y))


class RBF(nn.Module):
    def __init__(self, dims, lengthscale=1.0, outputscale=1.0):
        super().__init__()
        self.raw_lengthscale = nn.Parameter(torch.full((dims,), inv_softplus(lengthscale)))
        self.raw_outputscale = nn.Parameter(torch.tensor(inv_softplus(outputscale)))

    def forward(self, a, b):
        ls = softplus(self.raw_lengthscale)
        sq = ((a / ls).unsqueeze(-2) - (b / ls).unsqueeze(-3)).square().sum(-1)
        return softplus(self.raw_outputscale) * torch.exp(-0.5 * sq)


def psd_safe_cholesky(K, max_tries=6, jitter=1e-6):
    L, info = torch.linalg.cholesky_ex(K)
    if not torch.any(info):
        return L
    eye = torch.eye(K.shape[-1], dtype=K.dtype, device=K.device)
    for i in range(max_tries):
        current = jitter * 10 ** i
        L, info = torch.linalg.cholesky_ex(K + current * eye)
        if not torch.any(info):
            warnings.warn(f"matrix not p.d., added jitter of {current:.0e} to the diagonal")
            return L
    raise RuntimeError("matrix not positive definite after repeatedly adding jitter")


class ExactGP(nn.Module):
    def __init__(self, train_x, train_y, noise=0.05):
        super().__init__()
        self.kernel = RBF(train_x.shape[-1])
        self.mean = nn.Parameter(torch.zeros(()))
        self.raw_noise = nn.Parameter(torch.tensor(inv_softplus(noise)))
        self.register_buffer("train_x", train_x)
        self.register_buffer("train_y", train_y)

    def _factor(self):
        K = self.kernel(self.train_x, self.train_x)
        noise = softplus(self.raw_noise) + 1e-4
        return psd_safe_cholesky(K + torch.diag_embed(noise.expand(len(K))))

    def neg_mll(self):
        L = self._factor()
        resid = (self.train_y - self.mean).unsqueeze(-1)
        alpha = torch.cholesky_solve(resid, L)
        n = resid.shape[0]
        quad = 0.5 * (resid * alpha).sum()
        return (quad + L.diagonal().log().sum() + 0.5 * n * math.log(2 * math.pi)) / n

    def posterior(self, x):
        L = self._factor()
        k_star = self.kernel(self.train_x, x)
        alpha = torch.cholesky_solve((self.train_y - self.mean).unsqueeze(-1), L)
        mean = self.mean + (k_star.mT @ alpha).squeeze(-1)
        v = torch.linalg.solve_triangular(L, k_star, upper=False)
        return mean, self.kernel(x, x) - v.mT @ v

    @torch.no_grad()
    def sample(self, x, n_samples):
        mean, cov = self.posterior(x)
        L = psd_safe_cholesky(cov)
        eps = torch.randn(x.shape[0], n_samples, device=x.device, dtype=x.dtype)
        return mean.unsqueeze(-1) + L @ eps


def fit(gp, steps=15, lr=0.1):
    opt = torch.optim.Adam(gp.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        loss = gp.neg_mll()
        loss.backward()
        opt.step()
    return loss.item()


def thompson_step(gp, candidates, batch_size):
    """One candidate per posterior sample; duplicates are dropped."""
    draws = gp.sample(candidates, batch_size)
    idx = draws.argmax(dim=0).unique()
    return candidates[idx]


def objective(x):
    return torch.sin(3 * x[:, 0]) * torch.cos(2 * x[:, 1]) + 0.05 * torch.randn(len(x), device=x.device)


def main():
    torch.manual_seed(0)
    tkwargs = {"dtype": torch.float32, "device": "cuda" if torch.cuda.is_available() else "cpu"}
    x = torch.rand(12, 2).to(**tkwargs)
    y = objective(x)
    best = torch.tensor(-math.inf)
    for round_ in range(2):
        mu, sd = y.mean(), y.std()
        gp = ExactGP(x, (y - mu) / sd).to(**tkwargs)
        nll = fit(gp)
        grid = torch.linspace(0, 1, 12)
        candidates = torch.cartesian_prod(grid, grid).to(**tkwargs)
        candidates = torch.cat([candidates, x], dim=0)
        new_x = thompson_step(gp, candidates, batch_size=4)
        new_y = objective(new_x)
        x, y = torch.cat([x, new_x]), torch.cat([y, new_y])
        best = torch.maximum(best, y.max())
        print(f"round {round_}: nll {nll:.3f}, {len(x)} points, best {best.item():.3f}")


if __name__ == "__main__":
    main()
