"""Sliding window inference for volumetric segmentation with overlap blending."""
from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Sequence

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass
class InferConfig:
    roi_size: tuple[int, int, int] = (8, 8, 8)
    overlap: float = 0.5
    sw_batch_size: int = 4
    mode: str = "gaussian"
    sigma_scale: float = 0.125
    num_classes: int = 3


def gaussian_importance(roi_size: Sequence[int], sigma_scale: float) -> Tensor:
    kernels = []
    for n in roi_size:
        coords = torch.arange(n, dtype=torch.float32) - (n - 1) / 2.0
        kernels.append(torch.exp(-0.5 * (coords / (n * sigma_scale)) ** 2))
    kz, ky, kx = kernels
    weight = kz[:, None, None] * ky[None, :, None] * kx[None, None, :]
    return weight.clamp_(min=float(weight.max()) * 1e-3)


def window_starts(size: int, roi: int, overlap: float) -> list[int]:
    step = max(int(roi * (1 - overlap)), 1)
    starts = list(range(0, max(size - roi, 0) + 1, step))
    if starts[-1] + roi < size:
        starts.append(size - roi)
    return starts


class UNetish(nn.Module):
    def __init__(self, in_ch: int, out_ch: int, width: int = 8):
        super().__init__()
        self.down = nn.Sequential(nn.Conv3d(in_ch, width, 3, padding=1), nn.InstanceNorm3d(width), nn.LeakyReLU(0.1))
        self.mid = nn.Conv3d(width, width, 3, padding=1, stride=2)
        self.head = nn.Conv3d(width * 2, out_ch, 1)

    def forward(self, x: Tensor) -> Tensor:
        skip = self.down(x)
        y = F.interpolate(self.mid(skip), size=skip.shape[2:], mode="trilinear", align_corners=False)
        return self.head(torch.cat([skip, y], dim=1))


class SlidingWindowInferer:
    def __init__(self, cfg: InferConfig):
        self.cfg = cfg
        self._importance: Tensor | None = None

    def importance_map(self, like: Tensor) -> Tensor:
        if self.cfg.mode == "constant":
            return torch.ones(self.cfg.roi_size, device=like.device, dtype=like.dtype)
        if self._importance is None:
            self._importance = gaussian_importance(self.cfg.roi_size, self.cfg.sigma_scale)
        return self._importance.to(like)

    @torch.no_grad()
    def __call__(self, network: nn.Module, volume: Tensor) -> Tensor:
        roi = self.cfg.roi_size
        spatial = volume.shape[2:]
        grid = [window_starts(s, r, self.cfg.overlap) for s, r in zip(spatial, roi)]
        corners = list(itertools.product(*grid))

        out = volume.new_zeros((1, self.cfg.num_classes, *spatial))
        norm = volume.new_zeros((1, 1, *spatial))
        weight = self.importance_map(volume)

        for i in range(0, len(corners), self.cfg.sw_batch_size):
            chunk = corners[i:i + self.cfg.sw_batch_size]
            patches = torch.cat([self._crop(volume, c) for c in chunk])
            logits = network(patches)
            for c, patch_logits in zip(chunk, logits):
                sl = tuple(slice(a, a + r) for a, r in zip(c, roi))
                out[(0, slice(None), *sl)] += patch_logits * weight
                norm[(0, 0, *sl)] += weight
        return out / norm

    def _crop(self, volume: Tensor, corner: tuple[int, ...]) -> Tensor:
        z, y, x = corner
        d, h, w = self.cfg.roi_size
        return volume[:, :, z:z + d, y:y + h, x:x + w]


def dice_per_class(pred: Tensor, target: Tensor, num_classes: int) -> np.ndarray:
    scores = torch.zeros(num_classes)
    for c in range(num_classes):
        p, t = pred == c, target == c
        inter = (p & t).sum()
        scores[c] = 2.0 * inter / (p.sum() + t.sum()).clamp(min=1)
    return scores.numpy()


def main() -> None:
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cfg = InferConfig()
    net = UNetish(1, cfg.num_classes).to(device).eval()
    inferer = SlidingWindowInferer(cfg)

    all_scores = []
    for case in range(2):
        volume = torch.from_numpy(np.random.randn(1, 1, 12, 14, 10).astype(np.float32)).to(device)
        label = torch.randint(0, cfg.num_classes, (12, 14, 10), device=device)
        logits = inferer(net, volume)
        all_scores.append(dice_per_class(logits.argmax(1)[0], label, cfg.num_classes))
        print(f"case {case}: dice {np.round(all_scores[-1], 3)}")
    print("mean", np.mean(all_scores, axis=0).round(3))


if __name__ == "__main__":
    main()
