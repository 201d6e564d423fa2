"""Low-rank adapters for linear and embedding layers."""
from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Iterable

import torch
from torch import nn


@dataclass
class LoraSettings:
    r: int = 8
    alpha: float = 16.0
    dropout: float = 0.0
    target_modules: list[str] = field(default_factory=lambda: ["q_proj", "v_proj"])
    use_rslora: bool = False

    @property
    def scaling(self) -> float:
        return self.alpha / (math.sqrt(self.r) if self.use_rslora else self.r)


class AdapterMixin:
    """Bookkeeping which adapters exist, and which one is active."""

    def _init_adapters(self) -> None:
        self.lora_A = nn.ModuleDict()
        self.lora_B = nn.ModuleDict()
        self.lora_dropout = nn.ModuleDict()
        self.scaling: dict[str, float] = {}
        self.active_adapter: str | None = None
        self.merged = False

    def update_layer(self, name: str, settings: LoraSettings) -> None:
        if settings.r <= 0:
            raise ValueError(f"r should be a positive integer, got {settings.r}")
        in_features, out_features = self._features()
        self.lora_A[name] = nn.Linear(in_features, settings.r, bias=False)
        self.lora_B[name] = nn.Linear(settings.r, out_features, bias=False)
        self.lora_dropout[name] = nn.Dropout(settings.dropout) if settings.dropout else nn.Identity()
        self.scaling[name] = settings.scaling
        self.reset_adapter(name)
        self.active_adapter = name

    def reset_adapter(self, name: str) -> None:
        nn.init.kaiming_uniform_(self.lora_A[name].weight, a=math.sqrt(5))
        nn.init.zeros_(self.lora_B[name].weight)

    def set_adapter(self, name: str) -> None:
        if name not in self.lora_A:
            raise KeyError(f"no adapter {name!r}; have {list(self.lora_A)}")
        self.active_adapter = name

    def delta_weight(self, name: str) -> torch.Tensor:
        return self.scaling[name] * (self.lora_B[name].weight @ self.lora_A[name].weight)


class LoraLinear(nn.Module, AdapterMixin):
    def __init__(self, base_layer: nn.Linear):
        super().__init__()
        self.base_layer = base_layer
        self._init_adapters()

    def _features(self):
        return self.base_layer.in_features, self.base_layer.out_features

    @property
    def weight(self):
        return self.base_layer.weight

    @torch.no_grad()
    def merge(self) -> None:
        if self.merged or self.active_adapter is None:
            return
        self.weight.add_(self.delta_weight(self.active_adapter).to(self.weight.dtype))
        self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        if self.merged:
            self.weight.sub_(self.delta_weight(self.active_adapter).to(self.weight.dtype))
            self.merged = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.base_layer(x)
        if self.merged or self.active_adapter is None:
            return out
        name = self.active_adapter
        x = x.to(self.lora_A[name].weight.dtype)
        update = self.lora_B[name](self.lora_A[name](self.lora_dropout[name](x)))
        return out + update * self.scaling[name]


def _matches(key: str, targets: Iterable[str]) -> bool:
    return any(key == t or key.endswith("." + t) or re.fullmatch(t, key) for t in targets)


def inject_adapter(model: nn.Module, settings: LoraSettings, name: str = "default") -> nn.Module:
    """Replace the targeted linear layers of ``model`` by adapted ones, in place."""
    hits = [k for k, m in model.named_modules() if isinstance(m, nn.Linear) and _matches(k, settings.target_modules)]
    if not hits:
        raise ValueError(f"target modules {settings.target_modules} not found in the model")
    for key in hits:
        parent_name, _, child = key.rpartition(".")
        parent = model.get_submodule(parent_name)
        layer = LoraLinear(getattr(parent, child))
        layer.update_layer(name, settings)
        layer.to(layer.weight.device)
        layer.train(parent.training)
        setattr(parent, child, layer)
    mark_only_lora_trainable(model)
    return model


def mark_only_lora_trainable(model: nn.Module, bias: str = "none") -> None:
    for key, p in model.named_parameters():
        p.requires_grad = "lora_" in key or (bias == "all" and key.endswith("bias"))


def lora_state_dict(model: nn.Module) -> dict[str, torch.Tensor]:
    return {k: v.detach().cpu() for k, v in model.state_dict().items() if "lora_" in k}


def load_lora_state_dict(model: nn.Module, state: dict[str, torch.Tensor]) -> None:
    own = dict(model.named_parameters())
    for key, value in state.items():
        if key not in own:
            raise KeyError(key)
        with torch.no_grad():
            own[key].copy_(value)


def count_trainable(model: nn.Module) -> tuple[int, int]:
    total = sum(p.numel() for p in model.parameters())
    train = sum(p.numel() for p in model.parameters() if p.requires_grad)
    return train, total
