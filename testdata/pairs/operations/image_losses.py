"""Image losses: total variation, colour, edges, SSIM and their combination."""
from functools import lru_cache
from typing import Dict, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F

__all__ = ["tv_loss", "edge_loss", "color_loss", "ssim", "CombinedLoss", "build_loss"]

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)

LOSSES: Dict[str, callable] = {}


def register(name):
    def deco(fn):
        LOSSES[name] = fn
        return fn
    return deco


def normalize(x, mean=IMAGENET_MEAN, std=IMAGENET_STD):
    mean = torch.as_tensor(mean, dtype=x.dtype, device=x.device).view(-1, 1, 1)
    std = torch.as_tensor(std, dtype=x.dtype, device=x.device).view(-1, 1, 1)
    return (x - mean) / std


def rgb_to_gray(x: torch.Tensor, weights: torch.Tensor = torch.tensor([0.299, 0.587, 0.114])) -> torch.Tensor:
    """``(*, 3, H, W)`` to ``(*, 1, H, W)`` luma; ``weights`` default to ITU-R BT.601."""
    if x.dim() < 3 or x.shape[-3] != 3:
        raise ValueError(f"Input size must have a shape of (*, 3, H, W). Got {tuple(x.shape)}")
    if not torch.is_floating_point(x):
        x = x.float() / 255.0
    r, g, b = x.unbind(dim=-3)
    w_r, w_g, w_b = weights.to(x.dtype)
    return (w_r * r + w_g * g + w_b * b).unsqueeze(-3)


def rgb_to_ycbcr(x: torch.Tensor, offset: torch.Tensor = torch.tensor([0.0, 0.5, 0.5])) -> torch.Tensor:
    y = rgb_to_gray(x)
    cb = (x[..., 2:3, :, :] - y) * 0.564
    cr = (x[..., 0:1, :, :] - y) * 0.713
    out = torch.cat([y, cb, cr], dim=-3)
    return out + offset.view(3, 1, 1).to(out)


@lru_cache(maxsize=None)
def _gaussian_1d(size: int, sigma: float) -> torch.Tensor:
    x = torch.arange(size, dtype=torch.float32) - (size - 1) / 2
    g = torch.exp(-0.5 * (x / sigma) ** 2)
    return g / g.sum()


def gaussian_blur(x: torch.Tensor, size: int = 11, sigma: float = 1.5) -> torch.Tensor:
    g = _gaussian_1d(size, sigma).to(device=x.device, dtype=x.dtype)
    c = x.shape[1]
    x = F.conv2d(x, g.view(1, 1, -1, 1).expand(c, 1, -1, 1), groups=c)
    return F.conv2d(x, g.view(1, 1, 1, -1).expand(c, 1, 1, -1), groups=c)


@register("ssim")
def ssim(pred, target, data_range: float = 1.0, k1: float = 0.01, k2: float = 0.03):
    c1, c2 = torch.tensor([k1 * data_range, k2 * data_range]).square()
    mu_p, mu_t = gaussian_blur(pred), gaussian_blur(target)
    var_p = gaussian_blur(pred * pred) - mu_p ** 2
    var_t = gaussian_blur(target * target) - mu_t ** 2
    cov = gaussian_blur(pred * target) - mu_p * mu_t
    score = ((2 * mu_p * mu_t + c1) * (2 * cov + c2)) / ((mu_p ** 2 + mu_t ** 2 + c1) * (var_p + var_t + c2))
    return 1 - score.mean()


@register("tv")
def tv_loss(pred, target=None):
    dh = (pred[..., 1:, :] - pred[..., :-1, :]).abs().mean()
    dw = (pred[..., :, 1:] - pred[..., :, :-1]).abs().mean()
    return dh + dw


@register("edge")
def edge_loss(pred, target):
    kernel = pred.new_tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    weight = torch.stack([kernel, kernel.t()]).unsqueeze(1)
    ep, et = (F.conv2d(rgb_to_gray(x), weight, padding=1) for x in (pred, target))
    return F.l1_loss(ep, et)


@register("color")
def color_loss(pred, target, chroma_weight: float = 2.0):
    diff = (rgb_to_ycbcr(pred) - rgb_to_ycbcr(target)).abs().mean(dim=(0, 2, 3))
    return diff[0] + chroma_weight * diff[1:].sum()


class CombinedLoss(nn.Module):
    """Weighted sum of registered losses.

    Args:
        weights: name to weight.
        ema: if given, each loss is divided by its running mean with this momentum.
    """

    def __init__(self, weights: Dict[str, float], ema: Optional[float] = None):
        super().__init__()
        missing = [k for k in weights if k not in LOSSES]
        if missing:
            raise KeyError(f"Unknown losses {missing}; available: {sorted(LOSSES)}")
        self.weights = dict(weights)
        self.ema = ema
        self.running = {k: torch.tensor(1.0) for k in weights}
        self.last: Dict[str, float] = {}

    def forward(self, pred, target):
        total = pred.new_zeros(())
        for name, weight in self.weights.items():
            value = LOSSES[name](pred, target)
            self.last[name] = value.item()
            if self.ema is not None:
                self.running[name].mul_(self.ema).add_(value.item() * (1 - self.ema))
                value = value / self.running[name]
            total = total + weight * value
        return total


def build_loss(cfg: dict) -> CombinedLoss:
    cfg = dict(cfg)
    ema = cfg.pop("ema", None)
    return CombinedLoss(cfg, ema=ema)
