"""Blockwise 4-bit and 8-bit quantisation of linear layers, in plain PyTorch."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

NF4_LEVELS = torch.tensor(
    [
        -1.0, -0.6961928, -0.5250731, -0.3949175, -0.2844414, -0.1847734, -0.0910500, 0.0,
        0.0795803, 0.1609302, 0.2461123, 0.3379152, 0.4407098, 0.5626170, 0.7229568, 1.0,
    ]
)
NF4_EDGES = (NF4_LEVELS[1:] + NF4_LEVELS[:-1]) / 2

BITS = {"nf4": 4, "int8": 8}


class QuantState(NamedTuple):
    absmax: Tensor
    shape: torch.Size
    dtype: torch.dtype
    block_size: int
    kind: str


@dataclass(frozen=True)
class QuantConfig:
    kind: str = "nf4"
    block_size: int = 64
    skip: tuple[str, ...] = ("lm_head",)

    def __post_init__(self):
        if self.kind not in BITS:
            raise ValueError(f"unknown quantisation {self.kind!r}, expected one of {sorted(BITS)}")
        if self.block_size & (self.block_size - 1):
            raise ValueError("block_size must be a power of two")


def _to_blocks(weight: Tensor, block_size: int) -> Tensor:
    flat = weight.detach().float().flatten()
    pad = -flat.numel() % block_size
    return F.pad(flat, (0, pad)).view(-1, block_size)


def _from_blocks(blocks: Tensor, state: QuantState) -> Tensor:
    return blocks.flatten()[: state.shape.numel()].view(state.shape).to(state.dtype)


def pack_nibbles(codes: Tensor) -> Tensor:
    """Two 4-bit codes per byte."""
    codes = codes.to(torch.uint8).flatten()
    return (codes[0::2] << 4) | codes[1::2]


def unpack_nibbles(packed: Tensor) -> Tensor:
    return torch.stack((packed >> 4, packed & 0xF), dim=1).flatten()


def quantize(weight: Tensor, kind: str = "nf4", block_size: int = 64) -> tuple[Tensor, QuantState]:
    blocks = _to_blocks(weight, block_size)
    absmax = blocks.abs().amax(dim=1, keepdim=True).clamp(min=1e-8)
    state = QuantState(absmax, weight.shape, weight.dtype, block_size, kind)
    normed = blocks / absmax
    if kind == "int8":
        return (normed * 127).round().to(torch.int8), state
    return pack_nibbles(torch.bucketize(normed, NF4_EDGES.to(normed.device))), state


def dequantize(data: Tensor, state: QuantState) -> Tensor:
    if state.kind == "int8":
        return _from_blocks(data.float() / 127 * state.absmax, state)
    levels = NF4_LEVELS.to(data.device)
    blocks = levels[unpack_nibbles(data).long()].view(-1, state.block_size)
    return _from_blocks(blocks * state.absmax, state)


def quantization_error(weight: Tensor, config: QuantConfig) -> float:
    data, state = quantize(weight, config.kind, config.block_size)
    return (dequantize(data, state) - weight).abs().mean().item()


class QuantLinear(nn.Module):
    """Linear layer with a frozen quantised weight."""

    def __init__(self, in_features: int, out_features: int, config: QuantConfig, bias: bool = True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.config = config
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None
        self.register_buffer("qweight", torch.empty(0, dtype=torch.uint8))
        self.register_buffer("absmax", torch.empty(0))
        self.weight_dtype = torch.float32

    @classmethod
    def from_linear(cls, linear: nn.Linear, config: QuantConfig) -> QuantLinear:
        layer = cls(linear.in_features, linear.out_features, config, bias=linear.bias is not None)
        layer.qweight, state = quantize(linear.weight, config.kind, config.block_size)
        layer.absmax = state.absmax
        layer.weight_dtype = linear.weight.dtype
        if linear.bias is not None:
            layer.bias = nn.Parameter(linear.bias.detach().clone())
        return layer

    @property
    def state(self) -> QuantState:
        shape = torch.Size((self.out_features, self.in_features))
        return QuantState(self.absmax, shape, self.weight_dtype, self.config.block_size, self.config.kind)

    def forward(self, x: Tensor) -> Tensor:
        weight = dequantize(self.qweight, self.state).to(x.dtype)
        return F.linear(x, weight, self.bias)

    def extra_repr(self) -> str:
        return f"{self.in_features}, {self.out_features}, kind={self.config.kind}, block_size={self.config.block_size}"


def replace_linear(model: nn.Module, config: QuantConfig, filter_fn: Callable[[str], bool] | None = None) -> nn.Module:
    for name, module in list(model.named_modules()):
        if not isinstance(module, nn.Linear) or any(s in name for s in config.skip):
            continue
        if filter_fn is not None and not filter_fn(name):
            continue
        parent, _, child = name.rpartition(".")
        setattr(model.get_submodule(parent), child, QuantLinear.from_linear(module, config))
    return model


def memory_footprint(model: nn.Module) -> int:
    tensors = list(model.parameters()) + list(model.buffers())
    return sum(t.numel() * t.element_size() for t in tensors)
