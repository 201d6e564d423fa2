import math
from dataclasses import dataclass
from typing import Tuple

import torch
from torch import nn


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int, alpha: int, dropout: float):
        super().__init__()
        self.base = base
        self.scaling = alpha / r
        self.dropout = nn.Dropout(dropout)
        self.lora_A = nn.Parameter(torch.empty(r, base.in_features, device=base.weight.device))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, r, device=base.weight.device))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))

    def delta(self):
        return self.scaling * self.lora_B @ self.lora_A

    def forward(self, x):
        update = self.dropout(x) @ self.lora_A.t() @ self.lora_B.t()
        return self.base(x) + self.scaling * update


@torch.no_grad()
def merge_lora(model):
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, LoraLinear):
                child.base.weight += child.delta()
                setattr(module, name, child.base)
    return model


@dataclass
class LoraConfig:
    r: int = 4
    alpha: int = 8
    dropout: float = 0.05
    targets: Tuple[str, ...] = ("q_proj", "v_proj")
    train_head: bool = True


def get_lora_model(model: nn.Module, cfg: LoraConfig) -> nn.Module:
    model.requires_grad_(False)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in cfg.targets and isinstance(child, nn.Linear):
                setattr(module, name, LoraLinear(child, cfg.r, cfg.alpha, cfg.dropout))
    if cfg.train_head:
        model.classifier.requires_grad_(True)
    return model


def print_trainable(model: nn.Module) -> None:
    n = sum(p.numel() for p in model.parameters() if p.requires_grad)
    total = sum(p.numel() for p in model.parameters())
    print(f"trainable {n} / {total} ({100 * n / total:.1f}%)")
