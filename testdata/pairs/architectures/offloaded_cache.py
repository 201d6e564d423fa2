"""Key/value caches for autoregressive decoding."""
from __future__ import annotations

from typing import Any, Iterator

import torch
from torch import Tensor


class Cache:
    """Interface of all caches. Layers call ``update`` with their new keys and values."""

    is_compileable = False

    def update(self, key: Tensor, value: Tensor, layer_idx: int) -> tuple[Tensor, Tensor]:
        raise NotImplementedError("Make sure to implement `update` in a subclass.")

    def get_seq_length(self, layer_idx: int = 0) -> int:
        raise NotImplementedError

    def get_max_length(self) -> int | None:
        return None

    def reorder_cache(self, beam_idx: Tensor) -> None:
        raise NotImplementedError


class DynamicCache(Cache):
    """Grows with every token; tensors of shape (batch, heads, seq, head_dim)."""

    def __init__(self) -> None:
        self.key_cache: list[Tensor] = []
        self.value_cache: list[Tensor] = []
        self._seen_tokens = 0

    def __len__(self) -> int:
        return len(self.key_cache)

    def __getitem__(self, layer_idx: int) -> tuple[Tensor, Tensor]:
        if layer_idx >= len(self):
            raise KeyError(f"Cache only has {len(self)} layers, attempted to access layer {layer_idx}")
        return self.key_cache[layer_idx], self.value_cache[layer_idx]

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for layer_idx in range(len(self)):
            yield self[layer_idx]

    def update(self, key, value, layer_idx):
        if layer_idx == 0:
            self._seen_tokens += key.shape[-2]
        if len(self.key_cache) <= layer_idx:
            self.key_cache.append(key)
            self.value_cache.append(value)
        else:
            self.key_cache[layer_idx] = torch.cat([self.key_cache[layer_idx], key], dim=-2)
            self.value_cache[layer_idx] = torch.cat([self.value_cache[layer_idx], value], dim=-2)
        return self[layer_idx]

    def get_seq_length(self, layer_idx=0):
        return self.key_cache[layer_idx].shape[-2] if len(self) > layer_idx else 0

    def crop(self, max_length: int) -> None:
        """Forget all but the first ``max_length`` tokens (negative: the last ones)."""
        if max_length < 0:
            max_length = self.get_seq_length() - abs(max_length)
        if self.get_seq_length() <= max_length:
            return
        self._seen_tokens = max_length
        for i in range(len(self)):
            self.key_cache[i] = self.key_cache[i][..., :max_length, :]
            self.value_cache[i] = self.value_cache[i][..., :max_length, :]

    def batch_repeat_interleave(self, repeats: int) -> None:
        for i in range(len(self)):
            self.key_cache[i] = self.key_cache[i].repeat_interleave(repeats, dim=0)
            self.value_cache[i] = self.value_cache[i].repeat_interleave(repeats, dim=0)

    def reorder_cache(self, beam_idx):
        for i in range(len(self)):
            self.key_cache[i] = self.key_cache[i].index_select(0, beam_idx.to(self.key_cache[i].device))
            self.value_cache[i] = self.value_cache[i].index_select(0, beam_idx.to(self.value_cache[i].device))

    def to_legacy_cache(self) -> tuple[tuple[Tensor, Tensor], ...]:
        return tuple(self)


class OffloadedCache(DynamicCache):
    """Keeps on the accelerator only the layer that is in use; the others wait on the CPU.

    ``update`` of a layer brings that layer back, and evicts the one before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.original_device: list[torch.device] = []

    def _move(self, layer_idx: int, device: Any) -> None:
        self.key_cache[layer_idx] = self.key_cache[layer_idx].to(device, non_blocking=True)
        self.value_cache[layer_idx] = self.value_cache[layer_idx].to(device, non_blocking=True)

    def evict_previous_layer(self, layer_idx: int) -> None:
        if len(self) > 1:
            previous = layer_idx - 1 if layer_idx > 0 else len(self) - 1
            self._move(previous, "cpu")

    def update(self, key, value, layer_idx):
        if len(self) < layer_idx:
            raise ValueError("OffloadedCache does not support skipping layers.")
        if len(self) == layer_idx:
            self.original_device.append(key.device)
        else:
            self._move(layer_idx, self.original_device[layer_idx])
        out = super().update(key, value, layer_idx)
        self.evict_previous_layer(layer_idx)
        return out


class StaticCache(Cache):
    """Preallocated; made on the first update, on the device and in the type of the keys."""

    is_compileable = True

    def __init__(self, max_cache_len: int) -> None:
        self.max_cache_len = max_cache_len
        self.layers: dict[int, tuple[Tensor, Tensor]] = {}
        self.lengths: dict[int, int] = {}

    def update(self, key, value, layer_idx):
        if layer_idx not in self.layers:
            shape = key.shape[:2] + (self.max_cache_len, key.shape[-1])
            self.layers[layer_idx] = (key.new_zeros(shape), value.new_zeros(shape))
            self.lengths[layer_idx] = 0
        start = self.lengths[layer_idx]
        stop = start + key.shape[-2]
        if stop > self.max_cache_len:
            raise ValueError(f"the cache is full ({self.max_cache_len} tokens)")
        position = torch.arange(start, stop, device=key.device)
        k, v = self.layers[layer_idx]
        k.index_copy_(2, position, key)
        v.index_copy_(2, position, value)
        self.lengths[layer_idx] = stop
        return k, v

    def get_seq_length(self, layer_idx=0):
        return self.lengths.get(layer_idx, 0)

    def get_max_length(self):
        return self.max_cache_len

    def reorder_cache(self, beam_idx):
        for i, (k, v) in self.layers.items():
            self.layers[i] = (k[beam_idx], v[beam_idx])


CACHES = {"dynamic": DynamicCache, "offloaded": OffloadedCache, "static": StaticCache}


def make_cache(implementation: str | None = None, **kwargs: Any) -> Cache:
    implementation = implementation or "dynamic"
    if implementation not in CACHES:
        raise ValueError(f"Invalid cache_implementation ({implementation}), choose one of {list(CACHES)}")
    return CACHES[implementation](**kwargs)
