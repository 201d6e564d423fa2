"""Out-of-core k-means: the data set stays in host memory and is streamed through the accelerator in chunks."""
from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from typing import Iterator, Optional

import numpy as np
import torch
from torch import Tensor

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KMeansOptions:
    k: int = 8
    iters: int = 10
    n_init: int = 2
    chunk: int = 64
    tol: float = 1e-4
    spherical: bool = False
    device: str = "cuda:0" if torch.cuda.is_available() else "cpu"


class KMeans:
    def __init__(self, options: KMeansOptions, seed: int = 0) -> None:
        self.opt = options
        self.rng = np.random.default_rng(seed)
        self.centroids: Optional[Tensor] = None
        self.labels: Optional[Tensor] = None
        self.inertia = float("inf")

    def _chunks(self, x: Tensor) -> Iterator[tuple[int, int, Tensor]]:
        for start in range(0, len(x), self.opt.chunk):
            stop = min(start + self.opt.chunk, len(x))
            block = x[start:stop].to(self.opt.device, non_blocking=True)
            if self.opt.spherical:
                block = torch.nn.functional.normalize(block, dim=1)
            yield start, stop, block

    def _init_centroids(self, x: Tensor) -> Tensor:
        """k-means++ on a random subset."""
        subset = x[torch.from_numpy(self.rng.choice(len(x), size=min(len(x), 128), replace=False))]
        chosen = [int(self.rng.integers(len(subset)))]
        d2 = torch.cdist(subset, subset[chosen]).square().squeeze(1)
        while len(chosen) < self.opt.k:
            p = (d2 / d2.sum()).numpy().astype(np.float64)
            chosen.append(int(self.rng.choice(len(subset), p=p / p.sum())))
            d2 = torch.minimum(d2, (subset - subset[chosen[-1]]).square().sum(1))
        return subset[chosen].to(self.opt.device)

    def _assign(self, x: Tensor, centroids: Tensor) -> tuple[Tensor, float]:
        labels = torch.empty(len(x), dtype=torch.long)
        inertia = torch.zeros((), dtype=torch.float64)
        for start, stop, block in self._chunks(x):
            dist, nearest = torch.cdist(block, centroids).min(dim=1)
            labels[start:stop] = nearest
            inertia += dist.square().sum().cpu()
        return labels, inertia.item()

    def _update(self, x: Tensor, labels: Tensor, centroids: Tensor) -> Tensor:
        counts = torch.bincount(labels, minlength=self.opt.k)
        sums = torch.zeros_like(centroids)
        for start, stop, block in self._chunks(x):
            sums.index_add_(0, labels[start:stop].to(block.device), block)
        empty = (counts == 0).nonzero().flatten()
        means = sums / counts.clamp(min=1).to(sums)[:, None]
        if len(empty):
            log.debug("reseeding %d empty clusters", len(empty))
            picks = torch.from_numpy(self.rng.integers(len(x), size=len(empty)))
            means[empty.to(means.device)] = x[picks].to(means)
        return means

    def _lloyd(self, x: Tensor) -> tuple[Tensor, Tensor, float]:
        centroids = self._init_centroids(x)
        for it in range(self.opt.iters):
            labels, inertia = self._assign(x, centroids)
            updated = self._update(x, labels, centroids)
            shift = (updated - centroids).norm(dim=1).max()
            centroids = updated
            log.info("iter %02d inertia %.3f shift %.4f", it, inertia, shift)
            if shift < self.opt.tol:
                break
        labels, inertia = self._assign(x, centroids)
        return centroids, labels, inertia

    def fit(self, x: Tensor) -> "KMeans":
        for _ in range(self.opt.n_init):
            centroids, labels, inertia = self._lloyd(x)
            if inertia < self.inertia:
                self.centroids, self.labels, self.inertia = centroids, labels, inertia
        return self

    def predict(self, x: Tensor) -> Tensor:
        return self._assign(x, self.centroids)[0]


def purity(labels: Tensor, truth: Tensor) -> float:
    table = torch.zeros(int(labels.max()) + 1, int(truth.max()) + 1)
    table.index_put_((labels, truth), torch.ones(len(labels)), accumulate=True)
    return (table.amax(dim=1).sum() / len(truth)).item()


def make_blobs(n: int, k: int, dim: int, seed: int) -> tuple[Tensor, Tensor]:
    g = torch.Generator().manual_seed(seed)
    centers = 4 * torch.randn(k, dim, generator=g)
    truth = torch.randint(k, (n,), generator=g)
    return centers[truth] + torch.randn(n, dim, generator=g), truth


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
    options = KMeansOptions(k=5, iters=4)
    x, truth = make_blobs(300, options.k, 6, seed=1)
    km = KMeans(options).fit(x)
    print(f"inertia {km.inertia:.2f} purity {purity(km.labels, truth):.3f}")
    print("held out:", torch.bincount(km.predict(make_blobs(50, options.k, 6, seed=1)[0])).tolist())
