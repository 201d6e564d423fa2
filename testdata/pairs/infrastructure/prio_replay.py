from typing import Dict, NamedTuple, Optional, Tuple, Union

import numpy as np
import torch
from torch import Tensor

__all__ = ["Batch", "ReplayBuffer", "PrioritizedReplayBuffer", "make_buffer"]


class Batch(NamedTuple):
    obs: Tensor
    actions: Tensor
    rewards: Tensor
    next_obs: Tensor
    dones: Tensor
    weights: Optional[Tensor] = None
    indices: Optional[Tensor] = None


class ReplayBuffer:
    """Ring buffer of transitions.

    The transitions are held in main memory because image observations rarely fit on the
    accelerator; :meth:`sample` hands out batches that are on ``device``.
    """

    def __init__(self, capacity: int, obs_shape: Tuple[int, ...], device: Union[str, torch.device] = "cpu"):
        if capacity <= 0:
            raise ValueError("capacity must be positive")
        self.capacity = capacity
        self.device = torch.device(device)
        self.storage: Dict[str, Tensor] = {
            "obs": torch.zeros(capacity, *obs_shape),
            "actions": torch.zeros(capacity, dtype=torch.long),
            "rewards": torch.zeros(capacity),
            "next_obs": torch.zeros(capacity, *obs_shape),
            "dones": torch.zeros(capacity, dtype=torch.bool),
        }
        self.pos = 0
        self.full = False

    def __len__(self) -> int:
        return self.capacity if self.full else self.pos

    def add(self, obs, action, reward, next_obs, done) -> int:
        index = self.pos
        values = dict(obs=obs, actions=action, rewards=reward, next_obs=next_obs, dones=done)
        for name, value in values.items():
            target = self.storage[name]
            target[index] = torch.as_tensor(value).to(dtype=target.dtype, device=target.device)
        self.pos = (self.pos + 1) % self.capacity
        self.full = self.full or self.pos == 0
        return index

    def _gather(self, indices: Tensor) -> Dict[str, Tensor]:
        return {name: data[indices.to(data.device)].to(self.device) for name, data in self.storage.items()}

    def sample(self, batch_size: int) -> Batch:
        if len(self) == 0:
            raise RuntimeError("the buffer is empty")
        indices = torch.randint(len(self), (batch_size,))
        return Batch(**self._gather(indices), indices=indices)

    def update(self, indices: Tensor, td_errors: Tensor) -> None:
        """Uniform buffers have no priorities."""


class PrioritizedReplayBuffer(ReplayBuffer):
    """Samples in proportion to the TD error (Schaul et al., 2015)."""

    def __init__(self, capacity, obs_shape, device="cpu", alpha: float = 0.6, beta: float = 0.4, eps: float = 1e-6):
        super().__init__(capacity, obs_shape, device)
        self.alpha = alpha
        self.beta = beta
        self.eps = eps
        self.priorities = torch.zeros(capacity, device=self.device)
        self.max_priority = 1.0

    def add(self, *transition) -> int:
        index = super().add(*transition)
        self.priorities[index] = self.max_priority
        return index

    def anneal(self, progress: float, beta_start: float = 0.4) -> None:
        self.beta = beta_start + (1.0 - beta_start) * float(np.clip(progress, 0.0, 1.0))

    def sample(self, batch_size: int) -> Batch:
        n = len(self)
        if n == 0:
            raise RuntimeError("the buffer is empty")
        scaled = self.priorities[:n] ** self.alpha
        probs = scaled / scaled.sum()
        indices = torch.multinomial(probs, batch_size, replacement=True)
        weights = (n * probs[indices]) ** (-self.beta)
        weights = weights / weights.max()
        return Batch(**self._gather(indices), weights=weights, indices=indices)

    def update(self, indices: Tensor, td_errors: Tensor) -> None:
        priorities = td_errors.detach().abs().flatten() + self.eps
        self.priorities[indices] = priorities.to(self.priorities.device)
        self.max_priority = max(self.max_priority, priorities.max().item())

    def stats(self) -> Dict[str, float]:
        p = self.priorities[: len(self)].cpu().numpy()
        return {"priority/mean": float(p.mean()), "priority/max": float(p.max(initial=0.0))}


def make_buffer(kind: str, *args, **kwargs) -> ReplayBuffer:
    kinds = {"uniform": ReplayBuffer, "prioritized": PrioritizedReplayBuffer}
    try:
        return kinds[kind](*args, **kwargs)
    except KeyError:
        raise ValueError(f"unknown buffer {kind!r}, expected one of {list(kinds)}") from None
