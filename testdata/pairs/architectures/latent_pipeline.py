"""Sampling pipelines over latents: DDIM and ancestral Euler."""
import inspect
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import torch
from torch import nn


class PipelineOutput(dict):
    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def as_device(device: Union[str, torch.device, None]) -> torch.device:
    if device is None:
        return torch.device("cpu")
    return torch.device(device)


def make_generators(seed: Union[None, int, List[int]]) -> Union[None, torch.Generator, List[torch.Generator]]:
    """Turn seeds into generators; a list gives one generator per image."""
    if seed is None:
        return None
    if isinstance(seed, (list, tuple)):
        return [torch.Generator().manual_seed(int(s)) for s in seed]
    return torch.Generator().manual_seed(int(seed))


def randn_tensor(
    shape: Tuple[int, ...],
    generator: Union[None, torch.Generator, List[torch.Generator]] = None,
    device: Optional[torch.device] = None,
    dtype: Optional[torch.dtype] = None,
) -> torch.Tensor:
    """Normal noise that is the same for one seed whatever device the model is on."""
    device = as_device(device)
    if isinstance(generator, list) and len(generator) == 1:
        generator = generator[0]
    if isinstance(generator, list):
        if len(generator) != shape[0]:
            raise ValueError(f"{len(generator)} generators for a batch of {shape[0]}")
        rows = [torch.randn((1,) + shape[1:], generator=g, device=g.device, dtype=dtype) for g in generator]
        return torch.cat(rows, dim=0).to(device)
    rand_device = generator.device if generator is not None else device
    return torch.randn(shape, generator=generator, device=rand_device, dtype=dtype).to(device)


class Pipeline:
    """Holds modules by name, and moves them together."""

    def __init__(self, **components: Any):
        self._components: Dict[str, Any] = components
        for name, value in components.items():
            setattr(self, name, value)

    @property
    def modules(self) -> Dict[str, nn.Module]:
        return {k: v for k, v in self._components.items() if isinstance(v, nn.Module)}

    @property
    def device(self) -> torch.device:
        for module in self.modules.values():
            for p in module.parameters():
                return p.device
        return torch.device("cpu")

    def to(self, *args, **kwargs) -> "Pipeline":
        for module in self.modules.values():
            module.to(*args, **kwargs)
        return self

    def prepare_latents(self, batch, height, width, generator, latents=None):
        channels = self.unet.in_channels if hasattr(self.unet, "in_channels") else 4
        shape = (batch, channels, height, width)
        if latents is None:
            return randn_tensor(shape, generator, self.device)
        if latents.shape != shape:
            raise ValueError(f"unexpected latents shape {tuple(latents.shape)}, expected {shape}")
        return latents.to(self.device)

    def _extra_step_kwargs(self, generator, eta):
        accepted = inspect.signature(self.scheduler.step).parameters
        out = {}
        if "eta" in accepted:
            out["eta"] = eta
        if "generator" in accepted:
            out["generator"] = generator
        return out

    @torch.no_grad()
    def __call__(
        self,
        batch: int = 1,
        size: Tuple[int, int] = (8, 8),
        steps: int = 10,
        seed: Union[None, int, List[int]] = None,
        eta: float = 0.0,
        latents: Optional[torch.Tensor] = None,
        callback: Optional[Callable[[int, torch.Tensor], None]] = None,
    ) -> PipelineOutput:
        generator = make_generators(seed)
        x = self.prepare_latents(batch, *size, generator, latents)
        extra = self._extra_step_kwargs(generator, eta)
        for i, t in enumerate(self.scheduler.schedule(steps)):
            eps = self.unet(x)
            x = self.scheduler.step(eps, t, x, steps, **extra)
            if callback is not None:
                callback(i, x)
        return PipelineOutput(images=x.clamp(-1, 1).cpu().numpy(), latents=x)


class DDIMSampler:
    def __init__(self, num_train: int = 1000):
        self.num_train = num_train
        self.abar = torch.linspace(1 - 1e-4, 0.98, num_train).cumprod(0)

    def schedule(self, steps: int) -> List[int]:
        return list(range(0, self.num_train, self.num_train // steps))[::-1]

    def step(self, eps, t, x, steps, eta: float = 0.0, generator=None) -> torch.Tensor:
        prev = t - self.num_train // steps
        a, a_prev = self.abar[t], self.abar[prev] if prev >= 0 else torch.ones(())
        x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
        std = eta * ((1 - a_prev) / (1 - a) * (1 - a / a_prev)).clamp(min=0).sqrt()
        out = a_prev.sqrt() * x0 + (1 - a_prev - std**2).clamp(min=0).sqrt() * eps
        if eta > 0:
            noise = randn_tensor(tuple(eps.shape), generator, eps.device, eps.dtype)
            out = out + std * noise
        return out


class EulerAncestralSampler:
    def __init__(self, sigma_min: float = 0.03, sigma_max: float = 14.0):
        self.sigma_min, self.sigma_max = sigma_min, sigma_max

    def schedule(self, steps: int) -> List[Tuple[float, float]]:
        ramp = torch.linspace(1, 0, steps)
        sigmas = (self.sigma_min * (self.sigma_max / self.sigma_min) ** ramp).tolist() + [0.0]
        return list(zip(sigmas[:-1], sigmas[1:]))

    def step(self, eps, t, x, steps, generator=None) -> torch.Tensor:
        sigma, sigma_next = t
        up = min(sigma_next, (sigma_next**2 * (sigma**2 - sigma_next**2) / sigma**2) ** 0.5)
        down = (sigma_next**2 - up**2) ** 0.5
        x = x + eps * (down - sigma)
        return x + randn_tensor(tuple(x.shape), generator, x.device, x.dtype) * up
