import argparse
import time
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Split(NamedTuple):
    feats: torch.Tensor
    labels: torch.Tensor


class FrozenBackbone(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 16, 5, stride=2), nn.ReLU(), nn.Conv2d(16, dim, 3, stride=2),
                                 nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.requires_grad_(False).eval()

    @torch.no_grad()
    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


class ImageSource(Dataset):
    def __init__(self, n, num_classes, seed):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.rand(n, 3, 16, 16, generator=g)
        self.y = torch.randint(0, num_classes, (n,), generator=g)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class FeatureDataset(Dataset):
    def __init__(self, split: Split):
        self.split = split

    def __len__(self):
        return len(self.split.labels)

    def __getitem__(self, i):
        return self.split.feats[i], self.split.labels[i]


def extract_features(backbone, loader, device) -> Split:
    feats, labels = [], []
    for x, y in loader:
        x = x.to(device, non_blocking=True)
        feats.append(backbone(x).cpu())
        labels.append(y)
    return Split(torch.cat(feats), torch.cat(labels))


def make_loader(dataset, args, shuffle=False):
    return DataLoader(dataset, batch_size=args.batch_size, shuffle=shuffle, num_workers=0,
                      pin_memory=args.device.startswith("cuda"))


class LinearProbe:
    def __init__(self, dim, num_classes, args):
        self.args = args
        self.head = nn.Linear(dim, num_classes).to(args.device)
        self.opt = torch.optim.LBFGS(self.head.parameters(), lr=0.5, max_iter=4) if args.lbfgs else \
            torch.optim.SGD(self.head.parameters(), lr=args.lr, momentum=0.9)
        self.l2 = args.l2

    def _closure(self, x, y):
        def closure():
            self.opt.zero_grad()
            loss = F.cross_entropy(self.head(x), y) + self.l2 * self.head.weight.square().sum()
            loss.backward()
            return loss
        return closure

    def fit(self, loader):
        for epoch in range(self.args.epochs):
            total, n = 0.0, 0
            for x, y in loader:
                x = x.to(self.args.device, non_blocking=True)
                y = y.to(self.args.device, non_blocking=True)
                loss = self.opt.step(self._closure(x, y))
                total, n = total + loss.item() * len(y), n + len(y)
            print(f"epoch {epoch} loss {total / n:.4f}")

    @torch.no_grad()
    def score(self, loader):
        hits = [self.head(x.to(self.args.device)).argmax(1).eq(y.to(self.args.device)) for x, y in loader]
        return torch.cat(hits).float().mean().item()


def main(args):
    torch.manual_seed(args.seed)
    start = time.time()
    backbone = FrozenBackbone().to(args.device)
    splits = {}
    for name, n, seed in (("train", 64, 1), ("val", 32, 2)):
        images = make_loader(ImageSource(n, args.num_classes, seed), args)
        splits[name] = extract_features(backbone, images, args.device)
    print(f"features {tuple(splits['train'].feats.shape)} in {time.time() - start:.1f}s")
    probe = LinearProbe(splits["train"].feats.size(1), args.num_classes, args)
    probe.fit(make_loader(FeatureDataset(splits["train"]), args, shuffle=True))
    print("val acc", round(probe.score(make_loader(FeatureDataset(splits["val"]), args)), 3))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--num-classes", type=int, default=5)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--lr", type=float, default=1.0)
    p.add_argument("--l2", type=float, default=1e-4)
    p.add_argument("--lbfgs", action="store_true")
    p.add_argument("--seed", type=int, default=0)
    main(p.parse_args())
