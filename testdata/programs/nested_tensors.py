"""Attention over jagged nested tensors: sentences of different lengths without padding."""

import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda")


class Encoder(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.embedding = nn.Embedding(50, width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, tokens):
        x = self.embedding(tokens)  # crash 1
        parts = self.qkv(x).chunk(3, -1)
        query, key, value = (p.unflatten(-1, [self.heads, -1]).transpose(1, 2) for p in parts)
        mixed = F.scaled_dot_product_attention(query, key, value)
        return self.out(mixed.transpose(1, 2).flatten(-2))


sentences = [torch.randint(0, 50, (n,)) for n in (3, 7, 5)]
tokens = torch.nested.nested_tensor(sentences, layout=torch.jagged, device=device)
# bug 1: tokens = torch.nested.nested_tensor(sentences, layout=torch.jagged)  # born 1
encoder = Encoder().to(device)
centre = nn.Parameter(torch.zeros(16, device=device))
# bug 2: centre = nn.Parameter(torch.zeros(16))  # born 2
optimizer = torch.optim.Adam([*encoder.parameters(), centre], lr=1e-3)
for _ in range(3):
    states = encoder(tokens)
    padded = states.to_padded_tensor(0.0)
    means = padded.sum(1) / tokens.offsets().diff()[:, None]
    loss = (means - centre).square().mean()  # crash 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(padded.shape, loss.item())
