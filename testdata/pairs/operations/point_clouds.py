"""Batches of point clouds with different sizes, and losses between them."""
from typing import List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor


def list_to_padded(x: Sequence[Tensor], pad_size: Optional[Tuple[int, int]] = None, pad_value: float = 0.0) -> Tensor:
    """Transform a list of N tensors ``(Mi, K)`` into one of shape ``(N, max(Mi), K)``."""
    if not all(y.ndim == 2 for y in x):
        raise ValueError("Supports only 2-dimensional tensor items")
    if pad_size is None:
        pad_dim0 = max(y.shape[0] for y in x)
        pad_dim1 = max(y.shape[1] for y in x)
    else:
        pad_dim0, pad_dim1 = pad_size
    x_padded = torch.full((len(x), pad_dim0, pad_dim1), pad_value, dtype=x[0].dtype, device=x[0].device)
    for i, y in enumerate(x):
        if len(y) > 0:
            x_padded[i, : y.shape[0], : y.shape[1]] = y
    return x_padded


def padded_to_list(x: Tensor, split_size: Sequence[int]) -> List[Tensor]:
    if len(split_size) != x.shape[0]:
        raise ValueError("Split size must be of same length as inputs first dimension")
    return [x[i, :n] for i, n in enumerate(split_size)]


class Pointclouds:
    """Clouds in list, packed and padded form; the forms are computed when they are asked for.

    Args:
        points: list of ``(Pi, 3)`` tensors or one ``(N, P, 3)`` tensor.
        features: the same with ``C`` channels.
    """

    def __init__(self, points: Union[Sequence[Tensor], Tensor], features: Optional[Sequence[Tensor]] = None) -> None:
        self._points_padded: Optional[Tensor] = None
        self._features_padded: Optional[Tensor] = None
        if torch.is_tensor(points):
            self._points_padded = points
            points = list(points.unbind(0))
        self._points_list = list(points)
        self._features_list = None if features is None else list(features)
        if self._features_list is not None:
            for p, f in zip(self._points_list, self._features_list):
                if len(p) != len(f):
                    raise ValueError("A cloud has mismatched numbers of points and features")
        self.device = self._points_list[0].device if self._points_list else torch.device("cpu")
        self._sizes = [len(p) for p in self._points_list]

    def __len__(self) -> int:
        return len(self._points_list)

    def __getitem__(self, index: Union[int, slice, Tensor]) -> "Pointclouds":
        if isinstance(index, int):
            ids = [index]
        elif isinstance(index, slice):
            ids = list(range(len(self)))[index]
        elif index.dtype == torch.bool:
            ids = index.nonzero().flatten().tolist()
        else:
            ids = index.tolist()
        features = None if self._features_list is None else [self._features_list[i] for i in ids]
        return Pointclouds([self._points_list[i] for i in ids], features)

    def num_points_per_cloud(self) -> Tensor:
        return torch.tensor(self._sizes, dtype=torch.long, device=self.device)

    def points_packed(self) -> Tensor:
        return torch.cat(self._points_list, dim=0)

    def packed_to_cloud_idx(self) -> Tensor:
        ids = torch.arange(len(self), device=self.device)
        return ids.repeat_interleave(self.num_points_per_cloud())

    def points_padded(self) -> Tensor:
        if self._points_padded is None:
            self._points_padded = list_to_padded(self._points_list)
        return self._points_padded

    def features_padded(self) -> Optional[Tensor]:
        if self._features_list is not None and self._features_padded is None:
            self._features_padded = list_to_padded(self._features_list)
        return self._features_padded

    def get_bounding_boxes(self) -> Tensor:
        """``(N, 3, 2)`` minimum and maximum of each cloud."""
        mins = torch.stack([p.min(dim=0).values for p in self._points_list])
        maxs = torch.stack([p.max(dim=0).values for p in self._points_list])
        return torch.stack([mins, maxs], dim=-1)

    def offset(self, offsets_packed: Tensor) -> "Pointclouds":
        parts = offsets_packed.split(self._sizes)
        return Pointclouds([p + o for p, o in zip(self._points_list, parts)], self._features_list)

    def to(self, device) -> "Pointclouds":
        features = None if self._features_list is None else [f.to(device) for f in self._features_list]
        return Pointclouds([p.to(device) for p in self._points_list], features)


def _length_mask(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size, device=lengths.device)[None] < lengths[:, None]


def _unpack(x: Union[Pointclouds, Tensor]) -> Tuple[Tensor, Tensor]:
    if isinstance(x, Pointclouds):
        return x.points_padded(), x.num_points_per_cloud()
    if torch.is_tensor(x) and x.ndim == 3:
        return x, torch.full((x.shape[0],), x.shape[1], dtype=torch.long, device=x.device)
    raise ValueError("The input must be Pointclouds or a tensor of shape (N, P, 3)")


def chamfer_distance(x: Union[Pointclouds, Tensor], y: Union[Pointclouds, Tensor],
                     single_directional: bool = False, norm: int = 2) -> Tensor:
    """Chamfer distance, averaged over the batch."""
    (px, nx), (py, ny) = _unpack(x), _unpack(y)
    if len(px) != len(py):
        raise ValueError("x and y do not have the same batch size")
    dist = torch.cdist(px, py, p=float(norm))
    if norm == 2:
        dist = dist.square()
    mask_x, mask_y = _length_mask(nx, px.shape[1]), _length_mask(ny, py.shape[1])
    dist = dist.masked_fill(~(mask_x[:, :, None] & mask_y[:, None, :]), float("inf"))
    to_y = dist.amin(dim=2).masked_fill(~mask_x, 0.0).sum(1) / nx.clamp(min=1)
    if single_directional:
        return to_y.mean()
    to_x = dist.amin(dim=1).masked_fill(~mask_y, 0.0).sum(1) / ny.clamp(min=1)
    return (to_x + to_y).mean()
