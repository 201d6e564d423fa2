"""A small GPT in bfloat16: scaled dot product attention, a cache of keys, seeded sampling."""

import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda")
WORDS, WIDTH, HEADS, LENGTH = 32, 16, 2, 24


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, mask, cache=None):
        batch, length, _ = x.shape
        qkv = self.qkv(x).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        query, key, value = qkv
        if cache is not None:
            key, value = (torch.cat(pair, 2) for pair in zip(cache, (key, value)))
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)  # crash 1
        return self.proj(out.transpose(1, 2).reshape(batch, length, WIDTH)), (key, value)


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(WORDS, WIDTH)
        self.positions = nn.Embedding(LENGTH, WIDTH)
        self.attention = Attention()
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.tokens.weight
        self.register_buffer("mask", torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril())
        # bug 1: self.mask = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()  # born 1

    def forward(self, tokens, cache=None):
        past = 0 if cache is None else cache[0].shape[2]
        end = past + tokens.shape[1]
        x = self.tokens(tokens) + self.positions(torch.arange(past, end, device=tokens.device))
        mixed, cache = self.attention(x, self.mask[past:end, :end], cache)
        return self.head(x + mixed), cache


model = GPT().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for _ in range(3):
    text = torch.randint(0, WORDS, (4, 13), device=device)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        logits, _ = model(text[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

generator = torch.Generator(device=device).manual_seed(0)
# bug 2: generator = torch.Generator().manual_seed(0)
word, cache, said = torch.zeros(1, 1, dtype=torch.long, device=device), None, []
with torch.inference_mode():
    for _ in range(8):
        logits, cache = model(word, cache)
        top, _ = logits[:, -1].topk(5)
        logits = logits[:, -1].masked_fill(logits[:, -1] < top[:, -1:], float("-inf"))
        word = torch.multinomial(logits.softmax(-1), 1, generator=generator)  # crash 2
        said.append(word.item())
print(said)
