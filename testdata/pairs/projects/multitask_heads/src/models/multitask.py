import torch.nn as nn

from src.models.heads import HEADS


class SharedEncoder(nn.Module):
    def __init__(self, n_features, hidden):
        super().__init__()
        self.inp = nn.Linear(n_features, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        _, h = self.gru(self.inp(x).relu())
        return self.drop(h[-1])


class MultiTaskNet(nn.Module):
    def __init__(self, n_features, hidden, tasks):
        super().__init__()
        self.encoder = SharedEncoder(n_features, hidden)
        self.heads = nn.ModuleDict()
        for name, spec in tasks.items():
            self.heads[name] = HEADS[spec["type"]](hidden, spec)

    def forward(self, x):
        shared = self.encoder(x)
        return {name: head(shared) for name, head in self.heads.items()}
