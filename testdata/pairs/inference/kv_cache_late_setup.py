# Incremental decoding with a static KV cache.
import math
import time
from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass
class ModelArgs:
    block_size: int = 64
    vocab_size: int = 50
    n_layer: int = 2
    n_head: int = 2
    dim: int = 16

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_head


class KVCache(nn.Module):
    def __init__(self, max_batch_size, max_seq_length, n_heads, head_dim, dtype=torch.float32):
        super().__init__()
        cache_shape = (max_batch_size, n_heads, max_seq_length, head_dim)
        self.register_buffer("k_cache", torch.zeros(cache_shape, dtype=dtype), persistent=False)
        self.register_buffer("v_cache", torch.zeros(cache_shape, dtype=dtype), persistent=False)

    def update(self, start: int, k: Tensor, v: Tensor):
        end = start + k.shape[2]
        self.k_cache[:, :, start:end] = k
        self.v_cache[:, :, start:end] = v
        return self.k_cache[:, :, :end], self.v_cache[:, :, :end]


class Attention(nn.Module):
    def __init__(self, config: ModelArgs):
        super().__init__()
        self.config = config
        self.wqkv = nn.Linear(config.dim, 3 * config.dim, bias=False)
        self.wo = nn.Linear(config.dim, config.dim, bias=False)
        self.kv_cache: Optional[KVCache] = None

    def forward(self, x: Tensor, mask: Tensor, start: int) -> Tensor:
        b, t, _ = x.shape
        q, k, v = self.wqkv(x).chunk(3, dim=-1)
        q, k, v = (z.view(b, t, self.config.n_head, -1).transpose(1, 2) for z in (q, k, v))
        if self.kv_cache is not None:
            k, v = self.kv_cache.update(start, k, v)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.config.head_dim)
        att = att.masked_fill(~mask[:, :, :, : k.shape[2]], float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.wo(y.transpose(1, 2).reshape(b, t, -1))


class Block(nn.Module):
    def __init__(self, config: ModelArgs):
        super().__init__()
        self.attention = Attention(config)
        self.feed_forward = nn.Sequential(nn.Linear(config.dim, 4 * config.dim), nn.GELU(), nn.Linear(4 * config.dim, config.dim))
        self.norm1 = nn.LayerNorm(config.dim)
        self.norm2 = nn.LayerNorm(config.dim)

    def forward(self, x, mask, start):
        x = x + self.attention(self.norm1(x), mask, start)
        return x + self.feed_forward(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, config: ModelArgs):
        super().__init__()
        self.config = config
        self.tok_embeddings = nn.Embedding(config.vocab_size, config.dim)
        self.layers = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.output = nn.Linear(config.dim, config.vocab_size, bias=False)
        causal = torch.tril(torch.ones(config.block_size, config.block_size, dtype=torch.bool))
        self.register_buffer("causal_mask", causal, persistent=False)

    def setup_caches(self, max_batch_size: int, max_seq_length: int) -> None:
        weight = self.output.weight
        for b in self.layers:
            b.attention.kv_cache = KVCache(
                max_batch_size, max_seq_length, self.config.n_head, self.config.head_dim, weight.dtype).to(weight.device)

    def forward(self, idx: Tensor, start: int) -> Tensor:
        t = idx.shape[1]
        mask = self.causal_mask[None, None, start:start + t]
        x = self.tok_embeddings(idx)
        for layer in self.layers:
            x = layer(x, mask, start)
        return self.output(x[:, -1])


@torch.no_grad()
def generate(model: Transformer, prompt: Tensor, max_new_tokens: int) -> Tensor:
    b, t = prompt.shape
    total = t + max_new_tokens
    model.setup_caches(b, total)
    seq = torch.empty(b, total, dtype=prompt.dtype, device=prompt.device)
    seq[:, :t] = prompt
    logits = model(prompt, 0)
    for pos in range(t, total):
        nxt = logits.argmax(-1, keepdim=True)
        seq[:, pos:pos + 1] = nxt
        if pos + 1 < total:
            logits = model(nxt, pos)
    return seq


def _load_model(device: str) -> Transformer:
    torch.manual_seed(7)
    model = Transformer(ModelArgs())
    return model.to(device=device).eval()


def main(device: str = "cuda" if torch.cuda.is_available() else "cpu"):
    model = _load_model(device)
    prompt = torch.randint(0, 50, (2, 5)).to(device)
    t0 = time.perf_counter()
    out = generate(model, prompt, 6)
    print(out.tolist(), f"{time.perf_counter() - t0:.2f} s")


if __name__ == "__main__":
    main()
