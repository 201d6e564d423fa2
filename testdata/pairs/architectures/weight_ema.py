"""Exponential moving average of model weights, and checkpoints that hold it."""
import contextlib
import copy
import os
import warnings
from collections import OrderedDict
from typing import Any, Dict, Iterable, Iterator, List, Optional

import torch
from torch import nn


def clean_state_dict(state_dict: Dict[str, Any]) -> Dict[str, Any]:
    """Drop the prefixes that DataParallel and torch.compile leave in the keys."""
    cleaned = OrderedDict()
    for k, v in state_dict.items():
        for prefix in ("module.", "_orig_mod."):
            if k.startswith(prefix):
                k = k[len(prefix):]
        cleaned[k] = v
    return cleaned


def atomic_save(obj: Any, path: str) -> None:
    tmp = path + ".tmp"
    torch.save(obj, tmp)
    os.replace(tmp, path)


class EMAModel:
    """Moving average over parameters.

    The update factor is ``1 - (1 + step / inv_gamma) ** -power``, limited to ``[min_decay, max_decay]``.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        decay: float = 0.9999,
        min_decay: float = 0.0,
        update_after_step: int = 0,
        use_ema_warmup: bool = True,
        inv_gamma: float = 1.0,
        power: float = 2 / 3,
    ):
        self.shadow_params: List[torch.Tensor] = [p.clone().detach() for p in parameters]
        self.temp_stored_params: Optional[List[torch.Tensor]] = None
        self.decay = decay
        self.min_decay = min_decay
        self.update_after_step = update_after_step
        self.use_ema_warmup = use_ema_warmup
        self.inv_gamma = inv_gamma
        self.power = power
        self.optimization_step = 0

    def get_decay(self, step: int) -> float:
        step = max(0, step - self.update_after_step - 1)
        if step <= 0:
            return 0.0
        if self.use_ema_warmup:
            value = 1 - (1 + step / self.inv_gamma) ** -self.power
        else:
            value = (1 + step) / (10 + step)
        return max(min(value, self.decay), self.min_decay)

    @torch.no_grad()
    def step(self, parameters: Iterable[nn.Parameter]) -> None:
        self.optimization_step += 1
        one_minus_decay = 1 - self.get_decay(self.optimization_step)
        for s_param, param in zip(self.shadow_params, parameters):
            if param.requires_grad:
                s_param.sub_(one_minus_decay * (s_param - param))
            else:
                s_param.copy_(param)

    def copy_to(self, parameters: Iterable[nn.Parameter]) -> None:
        for s_param, param in zip(self.shadow_params, parameters):
            param.data.copy_(s_param.data)

    def to(self, device=None, dtype=None) -> None:
        self.shadow_params = [
            p.to(device=device, dtype=dtype) if p.is_floating_point() else p.to(device=device)
            for p in self.shadow_params
        ]

    def store(self, parameters: Iterable[nn.Parameter]) -> None:
        """Put the current parameters aside, on the CPU to save memory."""
        self.temp_stored_params = [param.detach().cpu().clone() for param in parameters]

    def restore(self, parameters: Iterable[nn.Parameter]) -> None:
        if self.temp_stored_params is None:
            raise RuntimeError("`store()` has to be called before `restore()`")
        for c_param, param in zip(self.temp_stored_params, parameters):
            param.data.copy_(c_param.data)
        self.temp_stored_params = None

    @contextlib.contextmanager
    def average_parameters(self, parameters: Iterable[nn.Parameter]) -> Iterator[None]:
        parameters = list(parameters)
        self.store(parameters)
        self.copy_to(parameters)
        try:
            yield
        finally:
            self.restore(parameters)

    def state_dict(self) -> Dict[str, Any]:
        return {
            "decay": self.decay,
            "min_decay": self.min_decay,
            "optimization_step": self.optimization_step,
            "update_after_step": self.update_after_step,
            "use_ema_warmup": self.use_ema_warmup,
            "inv_gamma": self.inv_gamma,
            "power": self.power,
            "shadow_params": self.shadow_params,
        }

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        state_dict = copy.deepcopy(state_dict)
        self.decay = state_dict.get("decay", self.decay)
        if not 0.0 <= self.decay <= 1.0:
            raise ValueError("Decay must be between 0 and 1")
        self.min_decay = state_dict.get("min_decay", self.min_decay)
        self.optimization_step = int(state_dict.get("optimization_step", self.optimization_step))
        for key in ("update_after_step", "use_ema_warmup", "inv_gamma", "power"):
            setattr(self, key, state_dict.get(key, getattr(self, key)))
        shadow_params = state_dict.get("shadow_params")
        if shadow_params is not None:
            if not all(isinstance(p, torch.Tensor) for p in shadow_params):
                raise ValueError("shadow_params must all be Tensors")
            if len(shadow_params) != len(self.shadow_params):
                raise ValueError("the checkpoint has another number of parameters")
            self.shadow_params = [p.to(old.device) for p, old in zip(shadow_params, self.shadow_params)]


class CheckpointManager:
    def __init__(self, folder: str, keep: int = 3):
        self.folder, self.keep = folder, keep
        os.makedirs(folder, exist_ok=True)

    def _paths(self) -> List[str]:
        names = sorted(n for n in os.listdir(self.folder) if n.startswith("step_") and n.endswith(".pt"))
        return [os.path.join(self.folder, n) for n in names]

    def save(self, step: int, model: nn.Module, ema: Optional[EMAModel] = None) -> str:
        path = os.path.join(self.folder, f"step_{step:08d}.pt")
        obj = {"step": step, "model": clean_state_dict(model.state_dict())}
        if ema is not None:
            obj["ema"] = ema.state_dict()
        atomic_save(obj, path)
        for old in self._paths()[: -self.keep]:
            os.remove(old)
        return path

    def resume(self, model: nn.Module, ema: Optional[EMAModel] = None) -> int:
        paths = self._paths()
        if not paths:
            return 0
        ckpt = torch.load(paths[-1], map_location="cpu", weights_only=False)
        model.load_state_dict(ckpt["model"])
        if ema is not None:
            if "ema" in ckpt:
                ema.load_state_dict(ckpt["ema"])
            else:
                warnings.warn("no EMA weights in the checkpoint, starting from the model's")
        return ckpt["step"]
