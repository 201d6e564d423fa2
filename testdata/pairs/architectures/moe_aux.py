"""Sparse mixture-of-experts feed-forward layers."""
import math
from dataclasses import dataclass
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoEConfig:
    hidden_size: int = 64
    intermediate_size: int = 128
    num_layers: int = 4
    num_experts: int = 8
    top_k: int = 2
    moe_every: int = 2
    router_jitter: float = 0.0
    aux_coef: float = 0.01
    z_coef: float = 0.001
    capacity_factor: Optional[float] = None

    def __post_init__(self):
        if not 1 <= self.top_k <= self.num_experts:
            raise ValueError("top_k must be in [1, num_experts]")

    def is_sparse(self, layer_idx: int) -> bool:
        return self.moe_every > 0 and (layer_idx + 1) % self.moe_every == 0


def load_balancing_loss(probs: torch.Tensor, selected: torch.Tensor, num_experts: int) -> torch.Tensor:
    """Switch transformer loss (eq. 4-6 of https://arxiv.org/abs/2101.03961)."""
    mask = F.one_hot(selected, num_experts).float()
    tokens_per_expert = mask.sum(dim=1).mean(dim=0)
    return num_experts * torch.sum(tokens_per_expert * probs.mean(dim=0)) / selected.shape[1]


def router_z_loss(logits: torch.Tensor) -> torch.Tensor:
    return torch.logsumexp(logits, dim=-1).square().mean()


class Router(nn.Module):
    def __init__(self, config: MoEConfig):
        super().__init__()
        self.config = config
        self.gate = nn.Linear(config.hidden_size, config.num_experts, bias=False)
        self.register_buffer("expert_bias", torch.zeros(config.num_experts))
        self.load = torch.zeros(config.num_experts, dtype=torch.long)

    def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        cfg = self.config
        if self.training and cfg.router_jitter > 0:
            x = x * torch.empty_like(x).uniform_(1 - cfg.router_jitter, 1 + cfg.router_jitter)
        logits = self.gate(x).float()
        probs = logits.softmax(dim=-1)
        selected = torch.topk(probs + self.expert_bias, cfg.top_k, dim=-1).indices
        weights = probs.gather(1, selected)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        self.load += torch.bincount(selected.flatten(), minlength=cfg.num_experts).cpu()
        loss = cfg.aux_coef * load_balancing_loss(probs, selected, cfg.num_experts)
        if cfg.z_coef:
            loss = loss + cfg.z_coef * router_z_loss(logits)
        return weights.to(x.dtype), selected, loss


class DenseMLP(nn.Module):
    def __init__(self, config: MoEConfig):
        super().__init__()
        self.up = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.gate = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class SparseMLP(nn.Module):
    def __init__(self, config: MoEConfig):
        super().__init__()
        self.config = config
        self.router = Router(config)
        self.experts = nn.ModuleList(DenseMLP(config) for _ in range(config.num_experts))

    def capacity(self, num_tokens: int) -> int:
        cfg = self.config
        if cfg.capacity_factor is None:
            return num_tokens
        return math.ceil(cfg.capacity_factor * cfg.top_k * num_tokens / cfg.num_experts)

    def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        weights, selected, loss = self.router(x)
        out = torch.zeros_like(x)
        limit = self.capacity(x.shape[0])
        for i, expert in enumerate(self.experts):
            token, slot = torch.where(selected == i)
            token, slot = token[:limit], slot[:limit]
            if token.numel() == 0:
                continue
            out.index_add_(0, token, expert(x[token]) * weights[token, slot, None])
        return out.view(shape), loss


class Layer(nn.Module):
    def __init__(self, config: MoEConfig, layer_idx: int):
        super().__init__()
        self.norm = nn.LayerNorm(config.hidden_size)
        self.is_sparse = config.is_sparse(layer_idx)
        self.mlp = SparseMLP(config) if self.is_sparse else DenseMLP(config)

    def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        y = self.norm(x)
        if self.is_sparse:
            y, loss = self.mlp(y)
        else:
            y, loss = self.mlp(y), x.new_zeros(())
        return x + y, loss


class MoEStack(nn.Module):
    """Layers of which every ``moe_every``-th has experts."""

    def __init__(self, config: MoEConfig):
        super().__init__()
        self.config = config
        self.layers = nn.ModuleList(Layer(config, i) for i in range(config.num_layers))
        self.norm = nn.LayerNorm(config.hidden_size)

    def routers(self) -> List[Router]:
        return [m for m in self.modules() if isinstance(m, Router)]

    def forward(self, x: torch.Tensor, return_losses: bool = False):
        losses = []
        for layer in self.layers:
            x, loss = layer(x)
            losses.append(loss)
        x = self.norm(x)
        if return_losses:
            return x, torch.stack(losses)
        return x, sum(losses)

    @torch.no_grad()
    def rebalance(self, rate: float = 1e-3) -> None:
        """Loss-free balancing: favour the experts that got too few tokens."""
        for router in self.routers():
            load = router.load.float()
            router.expert_bias += (rate * torch.sign(load.mean() - load)).to(router.expert_bias.device)
            router.load.zero_()
