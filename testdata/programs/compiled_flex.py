"""A compiled block with flex attention: a document mask and a learned bias of positions."""

import torch
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

device = "cuda"
HEADS, LENGTH, WIDTH = 2, 128, 32
documents = torch.arange(LENGTH, device=device) // 32


def same_document(batch, head, query, key):
    return (documents[query] == documents[key]) & (query >= key)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        slopes = torch.tensor([2.0**-i for i in range(1, HEADS + 1)])  # born 1
        self.register_buffer("slopes", slopes, persistent=False)
        # bug 1: self.slopes = slopes

    def forward(self, x, mask):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm(x)).view(batch, length, 3, HEADS, width // HEADS)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        query = query * self.slopes.view(1, HEADS, 1, 1)  # crash 1
        mixed = flex_attention(query, key, value, block_mask=mask)
        return x + self.proj(mixed.transpose(1, 2).reshape(batch, length, width))


mask = create_block_mask(same_document, None, None, LENGTH, LENGTH, device=device)
block = torch.compile(Block().to(device).eval())
with torch.no_grad():
    x = torch.randn(2, LENGTH, WIDTH, device=device)
    for _ in range(2):
        x = block(x, mask)
    lengths = torch.bincount(documents, minlength=4)
    # bug 2: lengths = torch.tensor([32] * 4)  # born 2
    sums = torch.zeros(4, WIDTH, device=device).index_add_(0, documents, x[0])
    means = sums / lengths[:, None]  # crash 2
print(means.norm(dim=1).tolist())
