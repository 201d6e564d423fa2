from __future__ import annotations

from collections import OrderedDict
from typing import Callable, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class _GridCache:
    """Small LRU cache, as :func:`functools.lru_cache` would keep too many large grids alive."""

    def __init__(self, maxsize: int = 8) -> None:
        self.maxsize = maxsize
        self._store: OrderedDict[tuple, torch.Tensor] = OrderedDict()

    def get(self, key: tuple, factory: Callable[[], torch.Tensor]) -> torch.Tensor:
        if key in self._store:
            self._store.move_to_end(key)
            return self._store[key]
        value = self._store[key] = factory()
        while len(self._store) > self.maxsize:
            self._store.popitem(last=False)
        return value

    def clear(self) -> None:
        self._store.clear()


_grids = _GridCache()


def create_meshgrid(
    height: int,
    width: int,
    normalized_coordinates: bool = True,
    device: Optional[torch.device] = None,
    dtype: Optional[torch.dtype] = None,
) -> torch.Tensor:
    """Generate a coordinate grid for an image, shape :math:`(1, H, W, 2)`, last dimension is (x, y)."""
    dtype = dtype or torch.get_default_dtype()

    def make() -> torch.Tensor:
        xs = torch.linspace(0, width - 1, width, device=device, dtype=dtype)
        ys = torch.linspace(0, height - 1, height, device=device, dtype=dtype)
        if normalized_coordinates:
            xs = (xs / max(width - 1, 1) - 0.5) * 2
            ys = (ys / max(height - 1, 1) - 0.5) * 2
        return torch.stack(torch.meshgrid([xs, ys], indexing="ij"), dim=-1).permute(1, 0, 2)[None]

    return _grids.get((height, width, normalized_coordinates, device, dtype), make)


def transform_points(trans: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
    r"""Apply homographies :math:`(B, 3, 3)` to points :math:`(B, N, 2)`."""
    if trans.shape[-2:] != (3, 3):
        raise ValueError(f"Expected homographies of shape (B, 3, 3), got {tuple(trans.shape)}")
    homogeneous = F.pad(points, (0, 1), value=1.0)
    out = homogeneous @ trans.transpose(-1, -2)
    z = out[..., 2:]
    scale = torch.where(z.abs() > 1e-8, 1.0 / z, torch.ones_like(z))
    return out[..., :2] * scale


def normalize_homography(dst_pix_trans_src_pix: torch.Tensor, src: Tuple[int, int], dst: Tuple[int, int]) -> torch.Tensor:
    def normal_transform(h: int, w: int) -> torch.Tensor:
        m = torch.tensor([[2.0 / max(w - 1, 1), 0, -1], [0, 2.0 / max(h - 1, 1), -1], [0, 0, 1]])
        return m.to(dst_pix_trans_src_pix)

    return normal_transform(*dst) @ dst_pix_trans_src_pix @ torch.linalg.inv(normal_transform(*src))


def warp_perspective(
    src: torch.Tensor, m: torch.Tensor, dsize: Tuple[int, int], mode: str = "bilinear", padding_mode: str = "zeros"
) -> torch.Tensor:
    """Warp an image :math:`(B, C, H, W)` with pixel homographies, as ``cv2.warpPerspective`` does."""
    if src.dim() != 4:
        raise ValueError(f"Input must be a BxCxHxW tensor, got {tuple(src.shape)}")
    trans = torch.linalg.inv(normalize_homography(m, tuple(src.shape[-2:]), dsize))
    grid = create_meshgrid(*dsize, device=src.device, dtype=src.dtype)
    flat = grid.reshape(1, -1, 2).expand(src.shape[0], -1, -1)
    warped = transform_points(trans, flat).view(src.shape[0], *dsize, 2)
    return F.grid_sample(src, warped, mode=mode, padding_mode=padding_mode, align_corners=True)


def spatial_expectation2d(heatmap: torch.Tensor) -> torch.Tensor:
    """Expected pixel position of normalized heatmaps :math:`(B, N, H, W)`."""
    grid = create_meshgrid(*heatmap.shape[-2:], False, device=heatmap.device, dtype=heatmap.dtype)
    return torch.einsum("bnhw,hwc->bnc", heatmap, grid[0])


class PerspectiveAlign(nn.Module):
    """Learns one homography which aligns images with a template.

    Args:
        template: image of shape :math:`(1, C, H, W)`.
        min_overlap: the smallest fraction of valid pixels.
    """

    def __init__(self, template: torch.Tensor, min_overlap: float = 0.1) -> None:
        super().__init__()
        self.register_buffer("template", template)
        self.delta = nn.Parameter(torch.zeros(8))
        self.min_overlap = min_overlap
        # pixels of the template which a warp by the identity cannot reach (at the border, with rounding)
        valid = warp_perspective(torch.ones_like(template), torch.eye(3)[None], tuple(template.shape[-2:]))
        self.register_buffer("valid", (valid > 0.5).to(template.dtype))

    def homography(self) -> torch.Tensor:
        h = torch.cat([self.delta, self.delta.new_zeros(1)]).view(1, 3, 3)
        return h + torch.eye(3, device=h.device, dtype=h.dtype)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        size = tuple(self.template.shape[-2:])
        m = self.homography().expand(image.shape[0], -1, -1)
        warped = warp_perspective(image, m, size)
        mask = warp_perspective(torch.ones_like(image), m, size).detach() * self.valid
        overlap = mask.mean(dim=(1, 2, 3)).clamp(min=self.min_overlap)
        return ((warped - self.template).abs() * mask).mean(dim=(1, 2, 3)) / overlap
