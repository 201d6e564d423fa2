"""Anchor generators for one and two stage detectors."""
import math
from typing import Dict, List, Sequence, Tuple

import torch
from torch import Tensor, nn

ANCHOR_GENERATORS: Dict[str, type] = {}


def register_anchor_generator(cls):
    ANCHOR_GENERATORS[cls.__name__] = cls
    return cls


def build_anchor_generator(cfg: dict):
    cfg = dict(cfg)
    kind = cfg.pop("type")
    if kind not in ANCHOR_GENERATORS:
        raise KeyError(f"{kind} is not an anchor generator")
    return ANCHOR_GENERATORS[kind](**cfg)


def meshgrid(x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor]:
    xx = x.repeat(y.shape[0])
    yy = y.view(-1, 1).repeat(1, x.shape[0]).view(-1)
    return xx, yy


class BufferList(nn.Module):
    """A list of buffers that moves with its module."""

    def __init__(self, buffers: Sequence[Tensor]):
        super().__init__()
        for i, b in enumerate(buffers):
            self.register_buffer(str(i), b, persistent=False)

    def __len__(self):
        return len(self._buffers)

    def __iter__(self):
        return iter(self._buffers.values())


@register_anchor_generator
class GridAnchors(nn.Module):
    """Anchors of every scale and ratio at each location of a feature pyramid."""

    def __init__(self, strides: List[int], scales=(1.0,), ratios=(0.5, 1.0, 2.0), base_size: float = 4.0, offset=0.5):
        super().__init__()
        if not 0.0 <= offset < 1.0:
            raise ValueError("offset has to be in [0, 1)")
        self.strides = list(strides)
        self.offset = offset
        self.num_anchors = len(scales) * len(ratios)
        self.base_anchors = BufferList([self.make_base(s * base_size, scales, ratios) for s in self.strides])
        self._grid_cache: Dict[tuple, Tensor] = {}

    @staticmethod
    def make_base(size: float, scales, ratios) -> Tensor:
        rows = []
        for scale in scales:
            for ratio in ratios:
                w = size * scale / math.sqrt(ratio)
                h = w * ratio
                rows.append([-w / 2, -h / 2, w / 2, h / 2])
        return torch.tensor(rows)

    def _shifts(self, hw: Tuple[int, int], stride: int, device: torch.device) -> Tensor:
        h, w = hw
        start = self.offset * stride
        xs = torch.arange(w, device=device, dtype=torch.float32) * stride + start
        ys = torch.arange(h, device=device, dtype=torch.float32) * stride + start
        xx, yy = meshgrid(xs, ys)
        return torch.stack((xx, yy, xx, yy), dim=1)

    def grid(self, hw: Tuple[int, int], stride: int, device: torch.device) -> Tensor:
        key = (hw, stride, str(device))
        if key not in self._grid_cache:
            self._grid_cache[key] = self._shifts(hw, stride, device)
        return self._grid_cache[key]

    def forward(self, features: List[Tensor]) -> List[Tensor]:
        if len(features) != len(self.strides):
            raise ValueError(f"{len(features)} feature maps for {len(self.strides)} strides")
        out = []
        for feat, stride, base in zip(features, self.strides, self.base_anchors):
            shifts = self.grid(tuple(feat.shape[-2:]), stride, feat.device)
            out.append((shifts[:, None, :] + base[None]).reshape(-1, 4))
        return out


@register_anchor_generator
class PointAnchors(nn.Module):
    """Anchor-free: one point per location."""

    num_anchors = 1

    def __init__(self, strides: List[int]):
        super().__init__()
        self.strides = list(strides)

    def forward(self, features: List[Tensor]) -> List[Tensor]:
        points = []
        for feat, stride in zip(features, self.strides):
            h, w = feat.shape[-2:]
            xx, yy = meshgrid(torch.arange(w), torch.arange(h))
            pts = (torch.stack((xx, yy), dim=1).float() + 0.5) * stride
            points.append(pts.to(feat.device))
        return points


class DeltaCoder:
    def __init__(self, weights: Tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0), max_ratio=16 / 1000):
        self.weights = weights
        self.clip = abs(math.log(max_ratio))

    def decode(self, deltas: Tensor, anchors: Tensor) -> Tensor:
        weights = deltas.new_tensor(self.weights)
        wh = anchors[:, 2:] - anchors[:, :2]
        ctr = anchors[:, :2] + 0.5 * wh
        d = deltas / weights
        new_ctr = d[..., :2] * wh + ctr
        new_wh = d[..., 2:].clamp(max=self.clip).exp() * wh
        return torch.cat((new_ctr - 0.5 * new_wh, new_ctr + 0.5 * new_wh), dim=-1)


class RPNHead(nn.Module):
    def __init__(self, channels: int, anchor_cfg: dict, coder: DeltaCoder = None):
        super().__init__()
        self.anchors = build_anchor_generator(anchor_cfg)
        self.coder = coder or DeltaCoder()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.cls = nn.Conv2d(channels, self.anchors.num_anchors, 1)
        self.reg = nn.Conv2d(channels, self.anchors.num_anchors * 4, 1)

    def forward(self, features: List[Tensor]) -> Tuple[Tensor, Tensor]:
        scores, deltas = [], []
        for f in features:
            t = self.conv(f).relu()
            scores.append(self.cls(t).permute(0, 2, 3, 1).flatten(1))
            deltas.append(self.reg(t).permute(0, 2, 3, 1).reshape(f.shape[0], -1, 4))
        anchors = torch.cat(self.anchors(features))
        return torch.cat(scores, 1), self.coder.decode(torch.cat(deltas, 1), anchors)
