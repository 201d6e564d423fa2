import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 8, 5, stride=2), nn.ReLU(), nn.Conv1d(8, 16, 3), nn.ReLU())
        self.fc = nn.Linear(16, dim)

    def forward(self, x):
        h = self.conv(x).mean(-1)
        return F.normalize(self.fc(h), dim=1)


class NCELoss(nn.Module):
    def __init__(self, bank, k, tau):
        super().__init__()
        self.bank = bank
        self.k = k
        self.tau = tau

    def forward(self, feat, index):
        b = feat.size(0)
        neg = torch.randint(len(self.bank), (b, self.k), device=index.device)
        idx = torch.cat([index[:, None], neg], dim=1)
        weight = torch.index_select(self.bank.features, 0, idx.view(-1)).view(b, self.k + 1, -1)
        logits = torch.bmm(weight, feat.unsqueeze(2)).squeeze(2) / self.tau
        target = torch.zeros(b, dtype=torch.long, device=logits.device)
        return F.cross_entropy(logits, target)
