import torch.nn as nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, dim))

    def forward(self, ids):
        return F.normalize(self.mlp(self.bag(ids)), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.query_tower = Tower(vocab, dim)
        self.doc_tower = Tower(vocab, dim)

    @property
    def device(self):
        return next(self.parameters()).device

    def forward(self, query, doc):
        return self.query_tower(query), self.doc_tower(doc)
