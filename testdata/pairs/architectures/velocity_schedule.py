"""Discrete variance preserving noise process (DDPM), with epsilon, sample and v prediction."""
import math
from dataclasses import dataclass
from typing import List, Optional, Tuple, Union

import numpy as np
import torch


@dataclass
class SchedulerOutput:
    prev_sample: torch.Tensor
    pred_original_sample: Optional[torch.Tensor] = None


def betas_for_alpha_bar(num_steps: int, max_beta: float = 0.999) -> torch.Tensor:
    """Cosine schedule of Nichol & Dhariwal."""

    def alpha_bar(t):
        return math.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2

    betas: List[float] = []
    for i in range(num_steps):
        t1, t2 = i / num_steps, (i + 1) / num_steps
        betas.append(min(1 - alpha_bar(t2) / alpha_bar(t1), max_beta))
    return torch.tensor(betas, dtype=torch.float32)


def expand_like(coef: torch.Tensor, sample: torch.Tensor) -> torch.Tensor:
    coef = coef.flatten()
    while coef.ndim < sample.ndim:
        coef = coef.unsqueeze(-1)
    return coef


class NoiseScheduler:
    """Not a module on purpose: tables live on the CPU, ``step`` reads scalars of them."""

    _prediction_types = ("epsilon", "sample", "v_prediction")

    def __init__(
        self,
        num_train_timesteps: int = 1000,
        beta_start: float = 1e-4,
        beta_end: float = 2e-2,
        beta_schedule: str = "linear",
        prediction_type: str = "epsilon",
        clip_sample: bool = False,
    ):
        if prediction_type not in self._prediction_types:
            raise ValueError(f"prediction_type must be one of {self._prediction_types}")
        if beta_schedule == "linear":
            self.betas = torch.linspace(beta_start, beta_end, num_train_timesteps)
        elif beta_schedule == "scaled_linear":
            self.betas = torch.linspace(beta_start**0.5, beta_end**0.5, num_train_timesteps) ** 2
        elif beta_schedule == "squaredcos_cap_v2":
            self.betas = betas_for_alpha_bar(num_train_timesteps)
        else:
            raise NotImplementedError(f"beta_schedule {beta_schedule}")
        self.num_train_timesteps = num_train_timesteps
        self.prediction_type = prediction_type
        self.clip_sample = clip_sample
        self.alphas_cumprod = torch.cumprod(1.0 - self.betas, dim=0)
        self.one = torch.tensor(1.0)
        self.timesteps = torch.from_numpy(np.arange(num_train_timesteps)[::-1].copy())

    def __len__(self):
        return self.num_train_timesteps

    def set_timesteps(self, num_inference_steps: int, device: Union[str, torch.device, None] = None):
        if num_inference_steps > self.num_train_timesteps:
            raise ValueError("more inference than training steps")
        ratio = self.num_train_timesteps // num_inference_steps
        steps = (np.arange(num_inference_steps) * ratio).round()[::-1].copy().astype(np.int64)
        self.step_ratio = ratio
        self.timesteps = torch.from_numpy(steps).to(device)

    def _predict_x0(self, model_output, sample, alpha_prod):
        beta_prod = 1 - alpha_prod
        if self.prediction_type == "epsilon":
            x0 = (sample - beta_prod**0.5 * model_output) / alpha_prod**0.5
        elif self.prediction_type == "sample":
            x0 = model_output
        else:
            x0 = alpha_prod**0.5 * sample - beta_prod**0.5 * model_output
        return x0.clamp(-1, 1) if self.clip_sample else x0

    def step(self, model_output: torch.Tensor, timestep: int, sample: torch.Tensor) -> SchedulerOutput:
        """One deterministic (eta=0) step back."""
        t = int(timestep)
        prev_t = t - getattr(self, "step_ratio", 1)
        alpha_prod = self.alphas_cumprod[t]
        alpha_prod_prev = self.alphas_cumprod[prev_t] if prev_t >= 0 else self.one
        x0 = self._predict_x0(model_output, sample, alpha_prod)
        eps = (sample - alpha_prod**0.5 * x0) / (1 - alpha_prod) ** 0.5
        prev = alpha_prod_prev**0.5 * x0 + (1 - alpha_prod_prev) ** 0.5 * eps
        return SchedulerOutput(prev, x0)

    def add_noise(self, original: torch.Tensor, noise: torch.Tensor, timesteps: torch.Tensor) -> torch.Tensor:
        alphas_cumprod = self.alphas_cumprod.to(device=original.device, dtype=original.dtype)
        timesteps = timesteps.to(original.device)
        signal = expand_like(alphas_cumprod[timesteps] ** 0.5, original)
        sigma = expand_like((1 - alphas_cumprod[timesteps]) ** 0.5, original)
        return signal * original + sigma * noise

    def get_velocity(self, sample: torch.Tensor, noise: torch.Tensor, timesteps: torch.Tensor) -> torch.Tensor:
        alphas_cumprod = self.alphas_cumprod.to(device=sample.device, dtype=sample.dtype)
        timesteps = timesteps.to(sample.device)
        signal = expand_like(alphas_cumprod[timesteps] ** 0.5, sample)
        sigma = expand_like((1 - alphas_cumprod[timesteps]) ** 0.5, sample)
        return signal * noise - sigma * sample

    def training_target(self, sample, noise, timesteps) -> torch.Tensor:
        if self.prediction_type == "epsilon":
            return noise
        if self.prediction_type == "sample":
            return sample
        return self.get_velocity(sample, noise, timesteps)

    def snr_table(self) -> np.ndarray:
        """Signal to noise ratio per training step, for plots."""
        return (self.alphas_cumprod / (1 - self.alphas_cumprod)).numpy()
