"""Exponential moving averages of model weights."""
import logging
import os
from contextlib import contextmanager
from typing import Callable, Dict, Iterable, Optional, Union

import torch
from torch import nn

logger = logging.getLogger(__name__)

_DECAY_SCHEDULES: Dict[str, Callable[[int, float], float]] = {}


def register_decay(name):
    def wrapper(fn):
        if name in _DECAY_SCHEDULES:
            raise KeyError(f"decay schedule {name!r} is already registered")
        _DECAY_SCHEDULES[name] = fn
        return fn

    return wrapper


@register_decay("constant")
def constant_decay(step: int, decay: float) -> float:
    return decay


@register_decay("warmup")
def warmup_decay(step: int, decay: float) -> float:
    return min(decay, (1 + step) / (10 + step))


class EmaTracker:
    """Keeps a shadow copy of every trainable parameter of ``model``.

    Args:
        model: the network that is trained.
        decay: the asymptotic decay.
        schedule: name of a registered decay schedule.
        ignore: names of parameters that are not averaged.
    """

    def __init__(
        self,
        model: nn.Module,
        decay: float = 0.999,
        schedule: str = "warmup",
        ignore: Optional[Iterable[str]] = None,
    ) -> None:
        if not 0.0 <= decay <= 1.0:
            raise ValueError("decay must be between 0 and 1")
        if schedule not in _DECAY_SCHEDULES:
            raise KeyError(f"unknown schedule {schedule!r}, choose from {sorted(_DECAY_SCHEDULES)}")
        self.decay = decay
        self.schedule = schedule
        self.ignore = frozenset(ignore or ())
        self.num_updates = 0
        self.shadow: Dict[str, torch.Tensor] = {
            name: p.detach().clone() for name, p in self._named(model)
        }
        self._backup: Dict[str, torch.Tensor] = {}

    def _named(self, model: nn.Module):
        for name, p in model.named_parameters():
            if p.requires_grad and name not in self.ignore:
                yield name, p

    @torch.no_grad()
    def update(self, model: nn.Module) -> float:
        """Moves the averages one step towards the weights of ``model``."""
        decay = _DECAY_SCHEDULES[self.schedule](self.num_updates, self.decay)
        self.num_updates += 1
        for name, p in self._named(model):
            avg = self.shadow.get(name)
            if avg is None:
                self.shadow[name] = p.detach().clone()
                continue
            avg.mul_(decay).add_(p.detach(), alpha=1.0 - decay)
        return decay

    @torch.no_grad()
    def copy_to(self, model: nn.Module) -> None:
        for name, p in self._named(model):
            p.copy_(self.shadow[name])

    @contextmanager
    def average_parameters(self, model: nn.Module):
        """Evaluates with the averaged weights; the originals wait on the CPU."""
        self._backup = {name: p.detach().cpu().clone() for name, p in self._named(model)}
        self.copy_to(model)
        try:
            yield model
        finally:
            with torch.no_grad():
                for name, p in self._named(model):
                    p.copy_(self._backup[name])
            self._backup = {}

    def distance(self, model: nn.Module) -> float:
        """L2 distance between the averages and the current weights, for logging."""
        total = torch.tensor(0.0)
        for name, p in self._named(model):
            total += (self.shadow[name].cpu() - p.detach().cpu()).pow(2).sum()
        return float(total.sqrt())

    def state_dict(self):
        return {
            "decay": self.decay,
            "schedule": self.schedule,
            "num_updates": self.num_updates,
            "shadow": {k: v.cpu() for k, v in self.shadow.items()},
        }

    def load_state_dict(self, state, strict: bool = True) -> None:
        shadow = state["shadow"]
        missing = sorted(set(self.shadow) - set(shadow))
        if missing and strict:
            raise KeyError(f"no averages for {missing}")
        self.decay = state["decay"]
        self.schedule = state.get("schedule", "constant")
        self.num_updates = state["num_updates"]
        for name, value in shadow.items():
            if name not in self.shadow:
                logger.warning("ignoring the average of unknown parameter %s", name)
                continue
            current = self.shadow[name]
            if current.shape != value.shape:
                raise ValueError(f"shape mismatch for {name}: {tuple(value.shape)} and {tuple(current.shape)}")
            self.shadow[name] = value.detach().clone().to(device=current.device, dtype=current.dtype)


def save_ema(tracker: EmaTracker, path: Union[str, os.PathLike]) -> None:
    tmp = f"{path}.tmp"
    torch.save(tracker.state_dict(), tmp)
    os.replace(tmp, path)


def load_ema(tracker: EmaTracker, path: Union[str, os.PathLike], strict: bool = True) -> EmaTracker:
    tracker.load_state_dict(torch.load(path, map_location="cpu"), strict=strict)
    return tracker
