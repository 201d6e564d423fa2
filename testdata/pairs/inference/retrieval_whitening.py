"""Instance retrieval evaluation: GeM features, PCA whitening, chunked search, mAP."""
import logging
from typing import Iterator, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("retrieval")


class GeM(nn.Module):
    def __init__(self, p: float = 3.0, eps: float = 1e-6):
        super().__init__()
        self.p = nn.Parameter(torch.tensor(p))
        self.eps = eps

    def forward(self, x):
        return F.adaptive_avg_pool2d(x.clamp(min=self.eps).pow(self.p), 1).pow(1.0 / self.p).flatten(1)


class DescriptorNet(nn.Module):
    def __init__(self, dim: int = 32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, dim, 3, 2, 1), nn.ReLU())
        self.pool = GeM()

    def forward(self, x):
        return F.normalize(self.pool(self.features(x)), dim=-1)


class PCAWhitening:
    """Learned on the database side, applied to every descriptor."""

    def __init__(self, out_dim: int, eps: float = 1e-6):
        self.out_dim = out_dim
        self.eps = eps
        self.mean = None
        self.proj = None

    def fit(self, feats: torch.Tensor) -> "PCAWhitening":
        self.mean = feats.mean(0, keepdim=True)
        x = (feats - self.mean).cpu().numpy().astype(np.float64)
        cov = x.T @ x / (len(x) - 1)
        evals, evecs = np.linalg.eigh(cov)
        top = np.argsort(evals)[::-1][: self.out_dim]
        proj = evecs[:, top] / np.sqrt(evals[top] + self.eps)
        self.proj = torch.from_numpy(proj).to(feats)
        return self

    def transform(self, feats: torch.Tensor) -> torch.Tensor:
        return F.normalize((feats - self.mean) @ self.proj, dim=-1)


def synthetic_images(classes: int, per_class: int, seed: int) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
    g = torch.Generator().manual_seed(seed)
    protos = torch.rand(classes, 3, 16, 16, generator=torch.Generator().manual_seed(99))
    for _ in range(per_class):
        labels = torch.randperm(classes, generator=g)
        yield protos[labels] + 0.2 * torch.randn(classes, 3, 16, 16, generator=g), labels


@torch.no_grad()
def extract(model: nn.Module, batches, device) -> Tuple[torch.Tensor, torch.Tensor]:
    feats, labels = [], []
    for images, y in batches:
        feats.append(model(images.to(device)))
        labels.append(y)
    return torch.cat(feats), torch.cat(labels)


def chunked_topk(query: torch.Tensor, database: torch.Tensor, k: int, chunk: int = 16):
    best_s = query.new_full((query.size(0), k), -float("inf"))
    best_i = torch.full((query.size(0), k), -1, dtype=torch.long, device=query.device)
    for start in range(0, database.size(0), chunk):
        sims = query @ database[start:start + chunk].T
        idx = torch.arange(start, start + sims.size(1), device=query.device).expand_as(sims)
        s = torch.cat([best_s, sims], 1)
        i = torch.cat([best_i, idx], 1)
        best_s, sel = s.topk(k, dim=1)
        best_i = i.gather(1, sel)
    return best_s, best_i


def mean_average_precision(ranks: np.ndarray, q_labels: np.ndarray, db_labels: np.ndarray) -> float:
    aps = []
    for row, label in zip(ranks, q_labels):
        rel = db_labels[row] == label
        if rel.any():
            prec = np.cumsum(rel) / np.arange(1, len(rel) + 1)
            aps.append((prec * rel).sum() / rel.sum())
    return float(np.mean(aps)) if aps else 0.0


def main():
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = DescriptorNet().to(device).eval()
    db, db_y = extract(model, synthetic_images(6, 8, seed=1), device)
    q, q_y = extract(model, synthetic_images(6, 2, seed=2), device)

    _, idx = chunked_topk(q, db, k=10)
    log.info("raw      mAP@10 %.3f", mean_average_precision(idx.cpu().numpy(), q_y.numpy(), db_y.numpy()))

    pca = PCAWhitening(12).fit(db)
    _, idx = chunked_topk(pca.transform(q), pca.transform(db), k=10)
    log.info("whitened mAP@10 %.3f", mean_average_precision(idx.cpu().numpy(), q_y.numpy(), db_y.numpy()))


if __name__ == "__main__":
    main()
