"""Return and advantage estimators, vectorised over time."""
import functools
import math
from typing import Callable, Dict, NamedTuple, Optional, Tuple

import torch
from torch import Tensor


class Trajectory(NamedTuple):
    """Time-major ``[T, B]`` tensors of one rollout. ``values`` has one more step."""

    rewards: Tensor
    values: Tensor
    dones: Tensor
    log_probs: Optional[Tensor] = None


@functools.lru_cache(maxsize=32)
def discount_matrix(steps: int, gamma: float) -> Tensor:
    """Upper triangular matrix with ``gamma ** (j - i)`` at ``(i, j)``."""
    t = torch.arange(steps, dtype=torch.float32)
    exponent = t[None, :] - t[:, None]
    return torch.where(exponent >= 0, gamma ** exponent.clamp(min=0), torch.zeros(()))


def effective_horizon(gamma: float, tolerance: float = 1e-2) -> int:
    """Number of steps until a reward is discounted below ``tolerance``."""
    if not 0 < gamma < 1:
        raise ValueError("gamma should be between 0 and 1")
    return int(math.ceil(math.log(tolerance) / math.log(gamma)))


def describe_discount(steps: int, gamma: float) -> str:
    weights = discount_matrix(steps, gamma)[0].numpy()
    return f"{steps} steps, total weight {weights.sum():.2f}, last weight {weights[-1]:.4f}"


def _check(traj: Trajectory) -> Tuple[int, int]:
    steps, batch = traj.rewards.shape
    if traj.values.shape != (steps + 1, batch):
        raise ValueError(f"values should be [T + 1, B], got {tuple(traj.values.shape)}")
    if traj.dones.dtype != torch.bool:
        raise TypeError("dones should be boolean")
    return steps, batch


def segment_ids(dones: Tensor) -> Tensor:
    """Consecutive numbers of the episodes in a rollout."""
    ended = torch.zeros_like(dones, dtype=torch.long)
    ended[1:] = dones[:-1].long()
    return ended.cumsum(0)


def same_episode(dones: Tensor) -> Tensor:
    """``[B, T, T]`` mask of pairs of steps of one episode."""
    seg = segment_ids(dones).t()
    return seg[:, :, None] == seg[:, None, :]


def monte_carlo(traj: Trajectory, gamma: float = 0.99, lam: float = 1.0) -> Tensor:
    running = traj.values[-1].clone()
    out = torch.zeros_like(traj.rewards)
    for t in range(len(traj.rewards) - 1, -1, -1):
        running = traj.rewards[t] + gamma * running.masked_fill(traj.dones[t], 0.0)
        out[t] = running
    return out - traj.values[:-1]


def gae(traj: Trajectory, gamma: float = 0.99, lam: float = 0.95) -> Tensor:
    """Generalized advantage estimation as one matrix product."""
    steps, batch = _check(traj)
    not_done = (~traj.dones).to(traj.rewards.dtype)
    delta = traj.rewards + gamma * traj.values[1:] * not_done - traj.values[:-1]
    kernel = discount_matrix(steps, gamma * lam).to(delta.device)
    weights = kernel * same_episode(traj.dones)
    return torch.einsum("bij,jb->ib", weights, delta)


def td_zero(traj: Trajectory, gamma: float = 0.99, lam: float = 0.0) -> Tensor:
    _check(traj)
    target = traj.rewards + gamma * traj.values[1:].masked_fill(traj.dones, 0.0)
    return target - traj.values[:-1]


ESTIMATORS: Dict[str, Callable[..., Tensor]] = {
    "mc": monte_carlo,
    "gae": gae,
    "td": td_zero,
}


class AdvantageEstimator:
    """Computes normalised advantages and value targets.

    Args:
        kind: a key of :data:`ESTIMATORS`.
        gamma: discount.
        lam: lambda of GAE.
        normalize: whether advantages get zero mean and unit variance.
    """

    def __init__(self, kind: str = "gae", gamma: float = 0.99, lam: float = 0.95, normalize: bool = True) -> None:
        if kind not in ESTIMATORS:
            raise KeyError(f"unknown estimator {kind!r}")
        self.fn = ESTIMATORS[kind]
        self.gamma = gamma
        self.lam = lam
        self.normalize = normalize

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fn.__name__}, gamma={self.gamma}, lam={self.lam})"

    @torch.no_grad()
    def __call__(self, traj: Trajectory) -> Tuple[Tensor, Tensor]:
        advantages = self.fn(traj, self.gamma, self.lam)
        targets = advantages + traj.values[:-1]
        if self.normalize:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        return advantages, targets


def explained_variance(values: Tensor, targets: Tensor) -> float:
    values, targets = values.detach().cpu(), targets.detach().cpu()
    var = targets.var()
    if var == 0:
        return float("nan")
    return float(1 - (targets - values).var() / var)
