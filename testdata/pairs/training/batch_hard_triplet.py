"""Person re-identification: batch-hard triplets plus an identity loss."""
import random
from collections import defaultdict
from typing import Iterator, List, Tuple

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class ReIDDataset(Dataset):
    def __init__(self, num_pids: int = 8, per_pid: int = 6, dim: int = 12) -> None:
        base = torch.randn(num_pids, dim)
        self.items: List[Tuple[torch.Tensor, int, int]] = []
        for pid in range(num_pids):
            for k in range(per_pid):
                self.items.append((base[pid] + 0.5 * torch.randn(dim), pid, k % 2))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class RandomIdentitySampler(Sampler):
    """P identities x K instances per batch."""

    def __init__(self, data: ReIDDataset, p: int, k: int) -> None:
        self.p, self.k = p, k
        self.index = defaultdict(list)
        for i, (_, pid, _) in enumerate(data.items):
            self.index[pid].append(i)

    def __iter__(self) -> Iterator[int]:
        pids = list(self.index)
        random.shuffle(pids)
        for start in range(0, len(pids), self.p):
            for pid in pids[start:start + self.p]:
                yield from random.sample(self.index[pid], self.k)

    def __len__(self) -> int:
        return len(self.index) * self.k


def euclidean_dist(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    m, n = x.size(0), y.size(0)
    xx = x.pow(2).sum(1, keepdim=True).expand(m, n)
    yy = y.pow(2).sum(1, keepdim=True).expand(n, m).t()
    dist = xx + yy - 2 * x @ y.t()
    return dist.clamp(min=1e-12).sqrt()


def positive_negative_masks(labels: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    n = labels.size(0)
    same = labels.view(n, 1).eq(labels.view(1, n))
    not_self = ~torch.eye(n, dtype=torch.bool, device=labels.device)
    return same & not_self, ~same


class TripletLoss(nn.Module):
    def __init__(self, margin: float = 0.3) -> None:
        super().__init__()
        self.margin = margin
        self.ranking = nn.MarginRankingLoss(margin=margin) if margin > 0 else nn.SoftMarginLoss()

    def forward(self, feats: torch.Tensor, labels: torch.Tensor):
        dist = euclidean_dist(feats, feats)
        pos, neg = positive_negative_masks(labels)
        hardest_pos = dist.masked_fill(~pos, 0.0).max(dim=1).values
        hardest_neg = dist.masked_fill(~neg, float("inf")).min(dim=1).values
        y = torch.ones_like(hardest_pos)
        loss = self.ranking(hardest_neg, hardest_pos, y)
        active = (hardest_neg - hardest_pos < self.margin).float().mean()
        return loss, active


class BNNeck(nn.Module):
    def __init__(self, din: int, dim: int, num_pids: int) -> None:
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(din, 32), nn.ReLU(), nn.Linear(32, dim))
        self.bn = nn.BatchNorm1d(dim)
        self.bn.bias.requires_grad_(False)
        self.cls = nn.Linear(dim, num_pids, bias=False)

    def forward(self, x):
        f = self.embed(x)
        return f, self.cls(self.bn(f))


class Engine:
    def __init__(self, use_gpu: bool = True) -> None:
        self.device = "cuda" if use_gpu and torch.cuda.is_available() else "cpu"
        self.data = ReIDDataset()
        self.loader = DataLoader(self.data, batch_size=16, sampler=RandomIdentitySampler(self.data, 4, 4))
        self.model = BNNeck(12, 16, 8).to(self.device)
        self.id_loss = nn.CrossEntropyLoss(label_smoothing=0.1)
        self.tri_loss = TripletLoss(0.3)
        self.opt = torch.optim.Adam((p for p in self.model.parameters() if p.requires_grad), lr=2e-3)

    def train_epoch(self, epoch: int) -> None:
        self.model.train()
        for i, (imgs, pids, _camids) in enumerate(self.loader):
            imgs, pids = imgs.to(self.device), pids.to(self.device)
            feats, logits = self.model(imgs)
            tri, active = self.tri_loss(feats, pids)
            loss = self.id_loss(logits, pids) + tri
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            print(f"[{epoch}][{i}] loss {loss.item():.3f} triplet {tri.item():.3f} active {active.item():.2f}")


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    engine = Engine()
    for ep in range(2):
        engine.train_epoch(ep)
