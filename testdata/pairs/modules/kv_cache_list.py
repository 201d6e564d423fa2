"""Greedy decoding of a small decoder-only model with a static KV cache."""
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class ModelArgs:
    dim: int = 32
    n_layers: int = 2
    n_heads: int = 4
    vocab_size: int = 61
    max_batch_size: int = 2
    max_seq_len: int = 24
    norm_eps: float = 1e-5


class KVCache:
    def __init__(self, batch, heads, length, head_dim, device=None, dtype=torch.float32):
        shape = (batch, heads, length, head_dim)
        self.k = torch.zeros(shape, dtype=dtype, device=device)
        self.v = torch.zeros(shape, dtype=dtype, device=device)

    def update(self, start_pos, k, v):
        bsz, _, seqlen, _ = k.shape
        self.k[:bsz, :, start_pos:start_pos + seqlen] = k
        self.v[:bsz, :, start_pos:start_pos + seqlen] = v
        end = start_pos + seqlen
        return self.k[:bsz, :, :end], self.v[:bsz, :, :end]


class RMSNorm(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class CachedAttention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_heads = args.n_heads
        self.head_dim = args.dim // args.n_heads
        self.wq = nn.Linear(args.dim, args.dim, bias=False)
        self.wk = nn.Linear(args.dim, args.dim, bias=False)
        self.wv = nn.Linear(args.dim, args.dim, bias=False)
        self.wo = nn.Linear(args.dim, args.dim, bias=False)

    def _split(self, t):
        b, s, _ = t.shape
        return t.view(b, s, self.n_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, start_pos, mask, cache):
        q, k, v = self._split(self.wq(x)), self._split(self.wk(x)), self._split(self.wv(x))
        keys, values = cache.update(start_pos, k, v)
        scores = torch.matmul(q, keys.transpose(2, 3)) / self.head_dim ** 0.5
        if mask is not None:
            scores = scores + mask
        out = torch.matmul(F.softmax(scores, dim=-1), values)
        return self.wo(out.transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.attention = CachedAttention(args)
        self.attn_norm = RMSNorm(args.dim, args.norm_eps)
        self.ffn_norm = RMSNorm(args.dim, args.norm_eps)
        self.w1 = nn.Linear(args.dim, 2 * args.dim, bias=False)
        self.w2 = nn.Linear(2 * args.dim, args.dim, bias=False)

    def forward(self, x, start_pos, mask, cache):
        x = x + self.attention(self.attn_norm(x), start_pos, mask, cache)
        return x + self.w2(F.silu(self.w1(self.ffn_norm(x))))


class Decoder(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        self.tok_embeddings = nn.Embedding(args.vocab_size, args.dim)
        self.pos_embeddings = nn.Embedding(args.max_seq_len, args.dim)
        self.layers = nn.ModuleList([DecoderLayer(args) for _ in range(args.n_layers)])
        self.norm = RMSNorm(args.dim, args.norm_eps)
        self.output = nn.Linear(args.dim, args.vocab_size, bias=False)
        self.caches = []

    def setup_caches(self, max_batch_size: int) -> None:
        a = self.args
        device = self.output.weight.device
        self.caches = [
            KVCache(max_batch_size, a.n_heads, a.max_seq_len, a.dim // a.n_heads, device=device)
            for _ in self.layers
        ]

    @torch.inference_mode()
    def forward(self, tokens, start_pos: int):
        seqlen = tokens.shape[1]
        pos = torch.arange(start_pos, start_pos + seqlen, device=tokens.device)
        h = self.tok_embeddings(tokens) + self.pos_embeddings(pos)
        mask = None
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"), device=tokens.device).triu(1)
        for layer, cache in zip(self.layers, self.caches):
            h = layer(h, start_pos, mask, cache)
        return self.output(self.norm(h))[:, -1]


def load_model(args: ModelArgs) -> Decoder:
    model = Decoder(args)
    if torch.cuda.is_available():
        model = model.cuda()
    model.setup_caches(args.max_batch_size)
    return model.eval()


def generate(model, prompt, max_new_tokens):
    device = next(model.parameters()).device
    tokens = prompt.to(device)
    logits = model(tokens, 0)
    for _ in range(max_new_tokens):
        nxt = logits.argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, nxt], dim=1)
        logits = model(nxt, tokens.shape[1] - 1)
    return tokens.cpu().numpy()


if __name__ == "__main__":
    torch.manual_seed(1)
    cfg = ModelArgs()
    model = load_model(cfg)
    prompt = torch.randint(0, cfg.vocab_size, (2, 5))
    print(generate(model, prompt, max_new_tokens=6))
