"""A character model: causal attention with a mask that moves along."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(context, context)).bool())

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(~self.mask[:length, :length], float("-inf"))
        out = F.softmax(scores, dim=-1) @ v
        return self.proj(out.transpose(1, 2).reshape(batch, length, width))


class TinyGPT(nn.Module):
    def __init__(self, vocabulary=32, width=16, context=12):
        super().__init__()
        self.context = context
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.attention = CausalSelfAttention(width, 2, context)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, idx, targets=None):
        position = torch.arange(idx.size(1), device=idx.device)
        x = self.tokens(idx) + self.positions(position)
        x = x + self.attention(self.norm(x))
        logits = self.head(x)
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, idx, count):
        for _ in range(count):
            logits, _ = self(idx[:, -self.context :])
            following = torch.multinomial(F.softmax(logits[:, -1], dim=-1), num_samples=1)
            idx = torch.cat((idx, following), dim=1)
        return idx


def get_batch(data, size, context, device):
    starts = torch.randint(len(data) - context - 1, (size,))
    x = torch.stack([data[i : i + context] for i in starts])
    y = torch.stack([data[i + 1 : i + 1 + context] for i in starts])
    return x.to(device), y.to(device)


device = "cuda" if torch.cuda.is_available() else "cpu"
data = torch.randint(0, 32, (200,))
model = TinyGPT().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    xb, yb = get_batch(data, 4, 12, device)
    logits, loss = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()

context = torch.zeros((1, 1), dtype=torch.long, device=device)
print(model.generate(context, 5)[0].tolist())
