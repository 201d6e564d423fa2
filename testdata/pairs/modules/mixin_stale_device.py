from abc import abstractmethod
from typing import Dict, Optional, Union

import torch
import torch.nn as nn
from torch.distributions import Normal, kl_divergence


class DeviceMixin:
    """Gives modules a `.device` and a few factories that use it."""

    def __init__(self, *args, device: Optional[Union[str, torch.device]] = None, **kwargs):
        super().__init__(*args, **kwargs)
        self._device = torch.device(device or "cpu")

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def zeros(self, *size: int) -> torch.Tensor:
        return torch.zeros(*size, device=self.device)

    def as_tensor(self, value, dtype=torch.float32) -> torch.Tensor:
        return torch.as_tensor(value, dtype=dtype, device=self.device)


class BaseVAE(DeviceMixin, nn.Module):
    def __init__(self, latent_dim: int, **kwargs):
        super().__init__(**kwargs)
        self.latent_dim = latent_dim

    @abstractmethod
    def encode(self, x): ...

    @abstractmethod
    def decode(self, z): ...

    def prior(self, n: int) -> Normal:
        loc = self.zeros(n, self.latent_dim)
        return Normal(loc, torch.ones_like(loc))

    def training_loss(self, x: torch.Tensor, beta: float) -> Dict[str, torch.Tensor]:
        q = self.encode(x)
        z = q.rsample()
        rec = nn.functional.binary_cross_entropy_with_logits(self.decode(z), x, reduction="none").sum(1).mean()
        kl = self.divergence(q).mean()
        return {"loss": rec + beta * kl, "rec": rec.detach(), "kl": kl.detach()}

    def divergence(self, q: Normal) -> torch.Tensor:
        return kl_divergence(q, self.prior(q.loc.size(0))).sum(-1)

    @torch.no_grad()
    def sample(self, n: int) -> torch.Tensor:
        return torch.sigmoid(self.decode(self.prior(n).sample()))


class MLPVAE(BaseVAE):
    def __init__(self, n_in: int = 36, hidden: int = 32, latent_dim: int = 4, **kwargs):
        super().__init__(latent_dim, **kwargs)
        self.enc = nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh(), nn.Linear(hidden, 2 * latent_dim))
        self.dec = nn.Sequential(nn.Linear(latent_dim, hidden), nn.Tanh(), nn.Linear(hidden, n_in))

    def encode(self, x):
        mu, logvar = self.enc(x).chunk(2, dim=1)
        return Normal(mu, (0.5 * logvar).exp())

    def decode(self, z):
        return self.dec(z)


class BetaSchedule:
    def __init__(self, warmup: int, top: float = 1.0):
        self.values = torch.linspace(0.0, top, warmup + 1)

    def __call__(self, step: int) -> torch.Tensor:
        return self.values[min(step, len(self.values) - 1)]


class Experiment:
    def __init__(self, model: BaseVAE, use_gpu: bool = True, lr: float = 2e-3):
        self.device = torch.device("cuda" if use_gpu and torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.beta = BetaSchedule(warmup=5)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.log = []

    def step(self, i: int, x: torch.Tensor) -> None:
        out = self.model.training_loss(x.to(self.device), self.beta(i))
        self.opt.zero_grad()
        out["loss"].backward()
        self.opt.step()
        self.log.append({k: v.item() for k, v in out.items()})

    def fit(self, data: torch.Tensor, epochs: int = 2, batch_size: int = 16) -> None:
        i = 0
        for epoch in range(epochs):
            for x in data[torch.randperm(len(data))].split(batch_size):
                self.step(i, x)
                i += 1
            last = self.log[-1]
            print(f"epoch {epoch}: " + ", ".join(f"{k}={v:.3f}" for k, v in last.items()))


def blobs(n: int, size: int = 6) -> torch.Tensor:
    centers = torch.rand(n, 2, 1, 1) * size
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    d = (yy - centers[:, 0]) ** 2 + (xx - centers[:, 1]) ** 2
    return (d < 3).float().flatten(1)


def main() -> None:
    torch.manual_seed(0)
    exp = Experiment(MLPVAE())
    exp.fit(blobs(64))
    images = exp.model.sample(3).view(3, 6, 6).cpu().numpy()
    print(images.shape, float(images.mean()))


if __name__ == "__main__":
    main()
