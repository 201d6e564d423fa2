import math

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class RelativePositionBias(nn.Module):
    def __init__(self, num_buckets=16, max_distance=64, n_heads=4, bidirectional=True):
        super().__init__()
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.bidirectional = bidirectional
        self.relative_attention_bias = nn.Embedding(num_buckets, n_heads)

    @staticmethod
    def _relative_position_bucket(relative_position, bidirectional, num_buckets, max_distance):
        ret = torch.zeros_like(relative_position)
        if bidirectional:
            num_buckets //= 2
            ret += (relative_position > 0).long() * num_buckets
            n = torch.abs(relative_position)
        else:
            n = -torch.min(relative_position, torch.zeros_like(relative_position))
        max_exact = num_buckets // 2
        is_small = n < max_exact
        val_if_large = max_exact + (
            torch.log(n.float().clamp(min=1) / max_exact)
            / math.log(max_distance / max_exact)
            * (num_buckets - max_exact)
        ).long()
        val_if_large = torch.min(val_if_large, torch.full_like(val_if_large, num_buckets - 1))
        ret += torch.where(is_small, n, val_if_large)
        return ret

    def compute_bias(self, qlen, klen, device=None):
        context_position = torch.arange(qlen, dtype=torch.long, device=device)[:, None]
        memory_position = torch.arange(klen, dtype=torch.long, device=device)[None, :]
        buckets = self._relative_position_bucket(
            memory_position - context_position,
            self.bidirectional,
            self.num_buckets,
            self.max_distance,
        )
        values = self.relative_attention_bias(buckets)
        return values.permute(2, 0, 1).unsqueeze(0)

    def forward(self, q_len, k_len):
        return self.compute_bias(q_len, k_len, device=self.relative_attention_bias.weight.device)


class SelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, has_bias=False):
        super().__init__()
        self.h = n_heads
        self.dk = d_model // n_heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.bias = RelativePositionBias(n_heads=n_heads) if has_bias else None

    def heads(self, x):
        return x.view(x.size(0), -1, self.h, self.dk).transpose(1, 2)

    def forward(self, x, pad_mask, position_bias=None):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        scores = q @ k.transpose(3, 2)
        if position_bias is None:
            position_bias = self.bias(scores.size(2), scores.size(3))
            position_bias = position_bias + pad_mask
        scores = scores + position_bias
        out = scores.softmax(-1) @ v
        out = out.transpose(1, 2).contiguous().view(x.size(0), -1, self.h * self.dk)
        return self.o(out), position_bias


class Encoder(nn.Module):
    def __init__(self, vocab, d_model=32, n_heads=4, n_layers=3, n_classes=5):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model, padding_idx=0)
        self.layers = nn.ModuleList(
            [SelfAttention(d_model, n_heads, has_bias=(i == 0)) for i in range(n_layers)]
        )
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(n_layers)])
        self.classifier = nn.Linear(d_model, n_classes)

    def forward(self, ids):
        pad = ids.eq(0)
        pad_mask = torch.zeros(pad.shape, device=ids.device).masked_fill(pad, -1e9)[:, None, None, :]
        x, bias = self.embed(ids), None
        for attn, norm in zip(self.layers, self.norms):
            y, bias = attn(norm(x), pad_mask, bias)
            x = x + y
        keep = (~pad).unsqueeze(-1).float()
        pooled = (x * keep).sum(1) / keep.sum(1).clamp(min=1)
        return self.classifier(pooled)


def batches(n, bs, vocab, max_len=20):
    for _ in range(n):
        lens = torch.randint(4, max_len, (bs,))
        ids = torch.zeros(bs, int(lens.max()), dtype=torch.long)
        for i, l in enumerate(lens):
            ids[i, :l] = torch.randint(1, vocab, (int(l),))
        yield ids, torch.randint(0, 5, (bs,))


def main():
    torch.manual_seed(0)
    model = Encoder(vocab=100).to(device)
    optim = torch.optim.Adam(model.parameters(), 1e-3)
    crit = nn.CrossEntropyLoss(weight=torch.ones(5)).to(device)
    total = 0.0
    for ids, y in batches(4, 8, 100):
        ids, y = ids.to(device), y.to(device)
        loss = crit(model(ids), y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += loss.item()
    print("mean loss", total / 4)


main()
