"""Rotary position embeddings with linear and dynamic (NTK-aware) scaling."""
import math
from dataclasses import dataclass
from typing import Optional, Tuple

import torch
import torch.nn as nn

ROPE_VARIANTS = {}


def register_rope(name):
    def wrap(cls):
        if name in ROPE_VARIANTS:
            raise KeyError(f"rope variant {name!r} is already registered")
        ROPE_VARIANTS[name] = cls
        return cls
    return wrap


@dataclass
class RopeConfig:
    dim: int
    max_position_embeddings: int = 2048
    base: float = 10000.0
    variant: str = "default"
    scaling_factor: float = 1.0

    def __post_init__(self):
        if self.dim % 2:
            raise ValueError("rotary dim has to be even")
        if self.scaling_factor < 1.0:
            raise ValueError("scaling_factor must be >= 1")


def rotate_half(x: torch.Tensor) -> torch.Tensor:
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(
    q: torch.Tensor,
    k: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    position_ids: Optional[torch.Tensor] = None,
) -> Tuple[torch.Tensor, torch.Tensor]:
    """Rotate ``q`` and ``k`` of shape (batch, heads, seq, dim)."""
    if position_ids is not None:
        cos = cos[position_ids].unsqueeze(1)
        sin = sin[position_ids].unsqueeze(1)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def yarn_find_correction_dim(num_rotations, dim, base=10000, max_position_embeddings=2048):
    return (dim * math.log(max_position_embeddings / (num_rotations * 2 * math.pi))) / (2 * math.log(base))


def inverse_frequencies(dim: int, base: float, device=None) -> torch.Tensor:
    exponent = torch.arange(0, dim, 2, dtype=torch.float32, device=device) / dim
    return 1.0 / (base ** exponent)


@register_rope("default")
class RotaryEmbedding(nn.Module):
    def __init__(self, config: RopeConfig, device=None):
        super().__init__()
        self.config = config
        self.register_buffer(
            "inv_freq", inverse_frequencies(config.dim, config.base, device), persistent=False
        )
        self._set_cache(config.max_position_embeddings, self.inv_freq)

    def _positions(self, seq_len: int, device) -> torch.Tensor:
        return torch.arange(seq_len, dtype=torch.float32, device=device)

    def _set_cache(self, seq_len: int, inv_freq: torch.Tensor) -> None:
        self.max_seq_len_cached = seq_len
        t = self._positions(seq_len, inv_freq.device)
        freqs = torch.outer(t, inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos_cached", emb.cos(), persistent=False)
        self.register_buffer("sin_cached", emb.sin(), persistent=False)

    def _grow(self, seq_len: int) -> None:
        self._set_cache(seq_len, self.inv_freq)

    def forward(self, x: torch.Tensor, seq_len: Optional[int] = None):
        seq_len = x.shape[-2] if seq_len is None else seq_len
        if seq_len > self.max_seq_len_cached:
            self._grow(seq_len)
        return (
            self.cos_cached[:seq_len].to(dtype=x.dtype),
            self.sin_cached[:seq_len].to(dtype=x.dtype),
        )


@register_rope("linear")
class LinearScalingRotaryEmbedding(RotaryEmbedding):
    """Positions are divided by a constant factor (position interpolation)."""

    def _positions(self, seq_len, device):
        return super()._positions(seq_len, device) / self.config.scaling_factor


@register_rope("dynamic")
class DynamicNTKRotaryEmbedding(RotaryEmbedding):
    """The base grows with the sequence once it is longer than the trained context."""

    def _scaled_base(self, seq_len: int) -> float:
        cfg = self.config
        ratio = cfg.scaling_factor * seq_len / cfg.max_position_embeddings - (cfg.scaling_factor - 1)
        return cfg.base * ratio ** (cfg.dim / (cfg.dim - 2))

    def _grow(self, seq_len):
        base = self._scaled_base(seq_len)
        self._set_cache(seq_len, inverse_frequencies(self.config.dim, base, self.inv_freq.device))


def build_rope(config: RopeConfig, device=None) -> RotaryEmbedding:
    try:
        cls = ROPE_VARIANTS[config.variant]
    except KeyError:
        raise ValueError(
            f"unknown rope variant {config.variant!r}, choose from {sorted(ROPE_VARIANTS)}"
        ) from None
    return cls(config, device=device)


class RotarySelfAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, rope: RopeConfig):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError("hidden_size must be divisible by num_heads")
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.qkv = nn.Linear(hidden_size, 3 * hidden_size, bias=False)
        self.out = nn.Linear(hidden_size, hidden_size, bias=False)
        self.rotary = build_rope(rope)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        cos, sin = self.rotary(v, seq_len=t)
        q, k = apply_rotary_pos_emb(q, k, cos, sin)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, c))
