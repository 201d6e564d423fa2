from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class ModelArgs:
    vocab_size: int
    max_len: int
    dim: int = 16
    heads: int = 2
    layers: int = 2
    num_labels: int = 2


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.heads = args.heads
        self.q_proj = nn.Linear(args.dim, args.dim)
        self.k_proj = nn.Linear(args.dim, args.dim)
        self.v_proj = nn.Linear(args.dim, args.dim)
        self.o_proj = nn.Linear(args.dim, args.dim)

    def forward(self, x):
        def heads(z):
            return z.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        q, k, v = heads(self.q_proj(x)), heads(self.k_proj(x)), heads(self.v_proj(x))
        att = torch.softmax(q @ k.transpose(-1, -2) / q.size(-1) ** 0.5, dim=-1)
        return self.o_proj((att @ v).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.attn = Attention(args)
        self.norm1, self.norm2 = nn.LayerNorm(args.dim), nn.LayerNorm(args.dim)
        self.ff = nn.Sequential(nn.Linear(args.dim, 2 * args.dim), nn.GELU(), nn.Linear(2 * args.dim, args.dim))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.ff(self.norm2(x))


class SequenceClassifier(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.tok = nn.Embedding(args.vocab_size, args.dim)
        self.pos = nn.Parameter(torch.randn(1, args.max_len, args.dim) * 0.02)
        self.layers = nn.ModuleList([Layer(args) for _ in range(args.layers)])
        self.classifier = nn.Linear(args.dim, args.num_labels)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[:, : ids.size(1)]
        for layer in self.layers:
            x = layer(x)
        return self.classifier(x.mean(1))
