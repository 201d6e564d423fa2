"""Music token transformer with sliding-window attention; shapes are checked once before training starts."""
import functools
import sys

import torch
import torch.nn as nn

WINDOW = 6
NEG = -1e4
_BIAS_CACHE = {}


def sliding_window_bias(t, window, device):
    key = (t, window, device)
    if key not in _BIAS_CACHE:
        i = torch.arange(t, device=device)
        rel = i[:, None] - i[None, :]
        visible = (rel >= 0) & (rel < window)
        bias = torch.zeros(t, t, device=device)
        _BIAS_CACHE[key] = bias.masked_fill(~visible, NEG)
    return _BIAS_CACHE[key]


@functools.lru_cache(maxsize=None)
def alibi_slopes(n_heads):
    return tuple(2 ** (-8 * (h + 1) / n_heads) for h in range(n_heads))


def distance_bias(t, n_heads, device=None):
    pos = torch.arange(t, device=device)
    dist = (pos[None, :] - pos[:, None]).float()
    slopes = torch.tensor(alibi_slopes(n_heads), device=device)
    return slopes[:, None, None] * dist


class LocalAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.reshape(b, t, self.heads, -1).transpose(1, 2) for z in self.to_qkv(x).chunk(3, -1))
        sim = torch.einsum("bhid,bhjd->bhij", q, k) * (d // self.heads) ** -0.5
        sim = sim + distance_bias(t, self.heads, device=x.device)
        sim = sim + sliding_window_bias(t, WINDOW, x.device)
        out = torch.einsum("bhij,bhjd->bhid", sim.softmax(-1), v)
        return self.to_out(out.transpose(1, 2).reshape(b, t, d))


class MusicLM(nn.Module):
    def __init__(self, vocab=64, dim=32, depth=2, heads=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = nn.ModuleList([LocalAttention(dim, heads) for _ in range(depth)])
        self.ff = nn.ModuleList(
            [nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)) for _ in range(depth)]
        )
        self.norm = nn.ModuleList([nn.LayerNorm(dim) for _ in range(depth)])
        self.to_logits = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.emb(ids)
        for attn, norm, ff in zip(self.attn, self.norm, self.ff):
            x = x + attn(norm(x))
            x = x + ff(x)
        return self.to_logits(x)


def summarize(model, seq_len):
    """Prints output shapes of every direct child, from one dry run."""
    rows, handles = [], []

    def hook(name):
        def fn(_m, _i, out):
            rows.append((name, tuple(out.shape)))
        return fn

    for name, m in model.named_modules():
        if isinstance(m, (LocalAttention, nn.Linear)):
            handles.append(m.register_forward_hook(hook(name)))
    with torch.no_grad():
        model(torch.zeros(1, seq_len, dtype=torch.long))
    for h in handles:
        h.remove()
    for name, shape in rows:
        print(f"  {name:<16}{shape}")


@torch.no_grad()
def sample(model, prompt, n, temperature=1.0):
    model.eval()
    for _ in range(n):
        logits = model(prompt)[:, -1] / temperature
        prompt = torch.cat([prompt, torch.multinomial(logits.softmax(-1), 1)], dim=1)
    return prompt[0].tolist()


def main(argv):
    torch.manual_seed(0)
    seq_len = int(argv[1]) if len(argv) > 1 else 16
    gpu = torch.cuda.is_available()
    model = MusicLM()
    summarize(model, seq_len)
    if gpu:
        model.cuda()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    song = torch.randint(0, 64, (400,))
    for it in range(3):
        starts = torch.randint(0, len(song) - seq_len - 1, (4, 1))
        windows = song[starts + torch.arange(seq_len + 1)]
        if gpu:
            windows = windows.cuda()
        logits = model(windows[:, :-1])
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), windows[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item())
    print(sample(model, windows[:1, :4], 4))


if __name__ == "__main__":
    main(sys.argv)
