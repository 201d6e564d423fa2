from __future__ import annotations

import argparse
import os

import torch
from torch import nn


class DropPath(nn.Module):
    """Stochastic depth with its own random stream, so that runs can be replayed."""

    def __init__(self, drop_prob: float = 0.0, seed: int = 0):
        super().__init__()
        self.drop_prob = float(drop_prob)
        self.seed = seed
        self.generator: torch.Generator | None = None

    def reseed(self, epoch: int, device: torch.device) -> None:
        if self.generator is None:
            self.generator = torch.Generator(device=device)
        self.generator.manual_seed(self.seed + 1000 * epoch)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training or self.drop_prob == 0.0:
            return x
        keep = 1.0 - self.drop_prob
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        mask = x.new_empty(shape).bernoulli_(keep, generator=self.generator)
        return x * mask.div_(keep)

    def extra_repr(self) -> str:
        return f"drop_prob={self.drop_prob:.3f}"


class LayerScale(nn.Module):
    def __init__(self, dim: int, init: float = 1e-2):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((dim,), init))

    def forward(self, x):
        return x * self.gamma


class MixerBlock(nn.Module):
    def __init__(self, tokens: int, dim: int, drop_path: float, seed: int):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token_mix = nn.Sequential(nn.Linear(tokens, tokens * 2), nn.GELU(), nn.Linear(tokens * 2, tokens))
        self.channel_mix = nn.Sequential(nn.Linear(dim, dim * 2), nn.GELU(), nn.Linear(dim * 2, dim))
        self.ls1, self.ls2 = LayerScale(dim), LayerScale(dim)
        self.drop_path = DropPath(drop_path, seed)

    def forward(self, x):
        y = self.token_mix(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.drop_path(self.ls1(y))
        return x + self.drop_path(self.ls2(self.channel_mix(self.norm2(x))))


class Mixer(nn.Module):
    def __init__(self, img=16, patch=4, dim=24, depth=3, classes=10, drop_path_rate=0.3):
        super().__init__()
        self.patchify = nn.Conv2d(3, dim, patch, patch)
        tokens = (img // patch) ** 2
        rates = torch.linspace(0, drop_path_rate, depth)
        self.blocks = nn.ModuleList(
            MixerBlock(tokens, dim, r.item(), seed=i) for i, r in enumerate(rates)
        )
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patchify(x).flatten(2).transpose(1, 2)
        for blk in self.blocks:
            x = blk(x)
        return self.head(x.mean(dim=1))


def set_epoch(model: nn.Module, epoch: int) -> None:
    for m in model.modules():
        if isinstance(m, DropPath):
            m.reseed(epoch, next(model.parameters()).device)


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--local-rank", type=int, default=int(os.environ.get("LOCAL_RANK", 0)))
    return p.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(0)
    if torch.cuda.is_available():
        torch.cuda.set_device(args.local_rank)
        device = torch.device("cuda", args.local_rank)
    else:
        device = torch.device("cpu")

    images, labels = torch.randn(32, 3, 16, 16), torch.randint(0, 10, (32,))
    model = Mixer().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    shuffle_rng = torch.Generator().manual_seed(7)

    for epoch in range(args.epochs):
        model.train()
        set_epoch(model, epoch)
        perm = torch.randperm(len(images), generator=shuffle_rng)
        running = torch.zeros((), device=device)
        for idx in perm.split(args.batch_size):
            x, y = images[idx].to(device), labels[idx].to(device)
            loss = criterion(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.detach() * len(idx)
        print(f"epoch {epoch}: {running.item() / len(images):.4f}")

    model.eval()
    with torch.no_grad():
        acc = (model(images.to(device)).argmax(1).cpu() == labels).float().mean()
    print(f"train acc {acc:.3f}")


if __name__ == "__main__":
    main()
