import copy
import os
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import Any, Iterator

import torch
import torch.nn as nn
import torch.nn.functional as F


class ExponentialMovingAverage:
    """Keeps a shadow copy of every trainable parameter of a module."""

    def __init__(self, module: nn.Module, decay: float = 0.999, warmup: bool = True) -> None:
        self.decay = decay
        self.warmup = warmup
        self.num_updates = 0
        self.shadow = OrderedDict((n, p.detach().clone()) for n, p in module.named_parameters() if p.requires_grad)
        self._backup: dict[str, torch.Tensor] = {}

    @property
    def current_decay(self) -> float:
        if not self.warmup:
            return self.decay
        return min(self.decay, (1 + self.num_updates) / (10 + self.num_updates))

    @torch.no_grad()
    def update(self, module: nn.Module) -> None:
        decay = self.current_decay
        self.num_updates += 1
        for name, param in module.named_parameters():
            if name in self.shadow:
                self.shadow[name].mul_(decay).add_(param, alpha=1 - decay)

    def swap_in(self, module: nn.Module) -> None:
        for name, param in module.named_parameters():
            if name in self.shadow:
                self._backup[name] = param.detach().clone()
                param.data.copy_(self.shadow[name])

    def swap_out(self, module: nn.Module) -> None:
        for name, param in module.named_parameters():
            if name in self._backup:
                param.data.copy_(self._backup.pop(name))

    def state_dict(self) -> dict[str, Any]:
        return {"decay": self.decay, "num_updates": self.num_updates, "shadow": self.shadow}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.decay = state["decay"]
        self.num_updates = state["num_updates"]
        self.shadow = OrderedDict((k, v.to(self.shadow[k].device)) for k, v in state["shadow"].items())


class Denoiser(nn.Module):
    def __init__(self, channels: int = 8) -> None:
        super().__init__()
        self.conv_in = nn.Conv1d(1, channels, 3, padding=1)
        self.sigma_embed = nn.Linear(1, channels)
        self.conv_out = nn.Conv1d(channels, 1, 3, padding=1)

    def forward(self, x: torch.Tensor, sigma: torch.Tensor) -> torch.Tensor:
        h = self.conv_in(x) + self.sigma_embed(sigma.log().view(-1, 1) / 4)[..., None]
        return self.conv_out(F.silu(h))


class Trainer:
    def __init__(self, workdir: Path, device: torch.device, data_std: float = 0.5) -> None:
        self.workdir, self.device, self.data_std = workdir, device, data_std
        self.model = Denoiser().to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.ema = ExponentialMovingAverage(self.model)
        self.step = 0

    @property
    def ckpt_path(self) -> Path:
        return self.workdir / "last.pt"

    def save(self) -> None:
        payload = {
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "ema": self.ema.state_dict(),
        }
        tmp = self.ckpt_path.with_suffix(".tmp")
        torch.save(payload, tmp)
        os.replace(tmp, self.ckpt_path)

    def maybe_resume(self) -> bool:
        if not self.ckpt_path.exists():
            return False
        payload = torch.load(self.ckpt_path, map_location="cpu", weights_only=True)
        self.step = payload["step"]
        self.model.load_state_dict(payload["model"])
        self.optimizer.load_state_dict(payload["optimizer"])
        self.ema.load_state_dict(payload["ema"])
        return True

    def batches(self) -> Iterator[torch.Tensor]:
        while True:
            phase = torch.rand(8, 1, 1) * 6.28
            yield torch.sin(torch.linspace(0, 6.28, 16) + phase)

    def fit(self, num_steps: int, save_every: int = 4) -> None:
        for x, _ in zip(self.batches(), range(num_steps)):
            x = x.to(self.device)
            sigma = torch.exp(torch.randn(len(x)) * 1.2 - 1.2).to(self.device)
            noise = torch.randn_like(x) * sigma.view(-1, 1, 1)
            weight = (sigma**2 + self.data_std**2) / (sigma * self.data_std) ** 2
            loss = (weight.view(-1, 1, 1) * (self.model(x + noise, sigma) - x) ** 2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.ema.update(self.model)
            self.step += 1
            if self.step % save_every == 0:
                self.save()

    @torch.no_grad()
    def evaluate(self) -> float:
        x = next(self.batches()).to(self.device)
        sigma = torch.full((len(x),), 0.3, device=self.device)
        self.ema.swap_in(self.model)
        err = F.mse_loss(self.model(x + 0.3 * torch.randn_like(x), sigma), x).item()
        self.ema.swap_out(self.model)
        return err


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    with tempfile.TemporaryDirectory() as tmp:
        for run in range(2):
            trainer = Trainer(Path(tmp), device)
            resumed = trainer.maybe_resume()
            reference = copy.deepcopy(trainer.model)
            trainer.fit(4)
            drift = sum((p - q).abs().sum().item() for p, q in zip(trainer.model.parameters(), reference.parameters()))
            print(f"run {run}: resumed={resumed} step={trainer.step} mse={trainer.evaluate():.4f} drift={drift:.4f}")
