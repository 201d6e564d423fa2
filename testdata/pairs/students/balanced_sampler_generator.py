"""Fraud detection on imbalanced data with class-balanced sampling (reproducible run)."""
from __future__ import annotations

import logging
import os
import random
from collections import Counter
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset, WeightedRandomSampler

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("fraud")


@dataclass
class Config:
    n: int = 300
    n_features: int = 8
    pos_rate: float = 0.1
    val_size: float = 0.25
    batch_size: int = 32
    epochs: int = 3
    lr: float = 1e-2
    feature_noise: float = 0.05
    seed: int = 1234
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


def set_seed(cfg: Config) -> torch.Generator:
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    torch.backends.cudnn.benchmark = False
    return torch.Generator(device=cfg.device).manual_seed(cfg.seed)


def make_data(cfg: Config) -> TensorDataset:
    rng = np.random.RandomState(cfg.seed)
    y = (rng.rand(cfg.n) < cfg.pos_rate).astype(np.int64)
    X = rng.randn(cfg.n, cfg.n_features) + 1.2 * y[:, None] * rng.rand(cfg.n_features)
    return TensorDataset(torch.tensor(X, dtype=torch.float32), torch.tensor(y))


def stratified_split(labels: np.ndarray, val_size: float, seed: int) -> tuple[list[int], list[int]]:
    rng = np.random.RandomState(seed)
    train, val = [], []
    for c in np.unique(labels):
        idx = rng.permutation(np.flatnonzero(labels == c))
        cut = int(round(val_size * len(idx)))
        val.extend(idx[:cut].tolist())
        train.extend(idx[cut:].tolist())
    return train, val


def balanced_loader(ds: Subset, labels: np.ndarray, cfg: Config) -> DataLoader:
    counts = Counter(labels.tolist())
    weights = torch.tensor([1.0 / counts[int(c)] for c in labels], dtype=torch.double)
    generator = torch.Generator().manual_seed(cfg.seed)
    sampler = WeightedRandomSampler(weights, num_samples=len(labels), replacement=True, generator=generator)
    return DataLoader(ds, batch_size=cfg.batch_size, sampler=sampler)


class FraudNet(nn.Module):
    def __init__(self, d: int, noise: float, generator: torch.Generator):
        super().__init__()
        self.noise = noise
        self.generator = generator
        self.layers = nn.Sequential(nn.Linear(d, 16), nn.LeakyReLU(), nn.Linear(16, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training and self.noise > 0:
            x = x + self.noise * torch.randn(x.shape, generator=self.generator, device=x.device)
        return self.layers(x).squeeze(-1)


class Trainer:
    def __init__(self, model: nn.Module, cfg: Config):
        self.cfg = cfg
        self.model = model.to(cfg.device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)
        self.loss_fn = nn.BCEWithLogitsLoss()

    def train_epoch(self, loader: DataLoader) -> tuple[float, float]:
        self.model.train()
        losses, positives, seen = [], 0, 0
        for xb, yb in loader:
            positives += int(yb.sum())
            seen += len(yb)
            xb, yb = xb.to(self.cfg.device), yb.to(self.cfg.device)
            loss = self.loss_fn(self.model(xb), yb.float())
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
        return float(np.mean(losses)), positives / seen

    @torch.inference_mode()
    def evaluate(self, loader: DataLoader) -> dict[str, float]:
        self.model.eval()
        logits, ys = zip(*[(self.model(xb.to(self.cfg.device)), yb) for xb, yb in loader])
        pred = (torch.cat(logits) > 0).cpu()
        y = torch.cat(ys).bool()
        tp = (pred & y).sum().item()
        return {"precision": tp / max(pred.sum().item(), 1), "recall": tp / max(y.sum().item(), 1)}


def main() -> None:
    cfg = Config()
    generator = set_seed(cfg)
    data = make_data(cfg)
    labels = data.tensors[1].numpy()
    train_idx, val_idx = stratified_split(labels, cfg.val_size, cfg.seed)
    log.info("train %s, val %s", Counter(labels[train_idx].tolist()), Counter(labels[val_idx].tolist()))
    train_loader = balanced_loader(Subset(data, train_idx), labels[train_idx], cfg)
    val_loader = DataLoader(Subset(data, val_idx), batch_size=64)
    trainer = Trainer(FraudNet(cfg.n_features, cfg.feature_noise, generator), cfg)
    for epoch in range(cfg.epochs):
        loss, rate = trainer.train_epoch(train_loader)
        log.info("epoch %d loss %.3f positive rate %.2f %s", epoch, loss, rate, trainer.evaluate(val_loader))


if __name__ == "__main__":
    main()
