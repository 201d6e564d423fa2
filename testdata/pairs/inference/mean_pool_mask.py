import argparse
import heapq
from typing import List, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

CORPUS = [
    "attention is all you need",
    "deep residual learning for image recognition",
    "adam a method for stochastic optimization",
    "auto encoding variational bayes",
    "generative adversarial networks",
    "dropout a simple way to prevent neural networks from overfitting",
]


class Encoding(NamedTuple):
    ids: torch.Tensor
    mask: torch.Tensor


class WordHashTokenizer:
    pad_id = 0

    def __init__(self, buckets=512, max_length=16):
        self.buckets = buckets
        self.max_length = max_length

    def _hash(self, w):
        h = 2166136261
        for ch in w.encode():
            h = ((h ^ ch) * 16777619) & 0xFFFFFFFF
        return 1 + h % (self.buckets - 1)

    def __call__(self, texts: List[str]) -> Encoding:
        rows = [[self._hash(w) for w in t.split()][: self.max_length] for t in texts]
        width = max(len(r) for r in rows)
        ids = torch.full((len(rows), width), self.pad_id, dtype=torch.long)
        for i, r in enumerate(rows):
            ids[i, : len(r)] = torch.tensor(r)
        return Encoding(ids, ids.ne(self.pad_id))


class Backbone(nn.Module):
    def __init__(self, buckets, dim=32):
        super().__init__()
        self.word = nn.Embedding(buckets, dim, padding_idx=0)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1)
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids):
        e = self.word(ids)
        return self.norm(e + self.mix(e.transpose(1, 2)).transpose(1, 2).relu())


def mean_pooling(token_embeddings, attention_mask):
    m = attention_mask.unsqueeze(-1).to(token_embeddings.dtype)
    summed = (token_embeddings * m).sum(dim=1)
    return summed / m.sum(dim=1).clamp(min=1e-9)


def cls_pooling(token_embeddings, attention_mask):
    return token_embeddings[:, 0]


POOLERS = {"mean": mean_pooling, "cls": cls_pooling}


class SentenceEncoder:
    def __init__(self, model, tokenizer, pooling="mean", device="cpu"):
        self.device = device
        self.model = model.to(device)
        self.tokenizer = tokenizer
        self.pool = POOLERS[pooling]

    @torch.no_grad()
    def encode(self, sentences, batch_size=4, normalize=True) -> np.ndarray:
        self.model.eval()
        order = np.argsort([-len(s) for s in sentences])
        chunks = []
        for i in range(0, len(sentences), batch_size):
            enc = self.tokenizer([sentences[j] for j in order[i:i + batch_size]])
            hidden = self.model(enc.ids.to(self.device))
            emb = self.pool(hidden, enc.mask.to(self.device))
            if normalize:
                emb = F.normalize(emb, dim=-1)
            chunks.append(emb.cpu())
        emb = torch.cat(chunks).numpy()
        return emb[np.argsort(order)]


class FlatIndex:
    def __init__(self, vectors: np.ndarray, payload: List[str]):
        self.vectors = vectors
        self.payload = payload

    def search(self, query: np.ndarray, k: int):
        sims = self.vectors @ query
        return heapq.nlargest(k, zip(sims.tolist(), self.payload))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--pooling", default="mean", choices=sorted(POOLERS))
    ap.add_argument("--gpu", type=int, default=0)
    ap.add_argument("-k", type=int, default=2)
    args = ap.parse_args()
    torch.manual_seed(args.gpu)
    device = f"cuda:{args.gpu}" if args.gpu >= 0 and torch.cuda.is_available() else "cpu"

    tok = WordHashTokenizer()
    encoder = SentenceEncoder(Backbone(tok.buckets), tok, args.pooling, device)
    index = FlatIndex(encoder.encode(CORPUS), CORPUS)
    for q in ("residual networks", "a method for optimization"):
        hits = index.search(encoder.encode([q])[0], args.k)
        print(q, "->", [(round(s, 3), t[:30]) for s, t in hits])


if __name__ == "__main__":
    main()
