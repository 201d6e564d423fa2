import torch
import torch.nn as nn


class TabularNet(nn.Module):
    def __init__(self, num_features, cardinalities, emb=4, hidden=32):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(c, emb) for c in cardinalities])
        self.bn = nn.BatchNorm1d(num_features)
        self.mlp = nn.Sequential(
            nn.Linear(num_features + emb * len(cardinalities), hidden),
            nn.ReLU(),
            nn.Dropout(0.05),
            nn.Linear(hidden, 1),
        )

    def forward(self, x_num, x_cat):
        parts = [e(x_cat[:, i]) for i, e in enumerate(self.embeds)]
        return self.mlp(torch.cat([self.bn(x_num)] + parts, dim=1)).squeeze(1)
