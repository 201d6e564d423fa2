"""Matching of predictions and ground truth for detection and tracking scores."""
import math
from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Tuple, Union

import numpy as np
import torch

ArrayLike = Union[np.ndarray, torch.Tensor, list]


class Match(NamedTuple):
    rows: np.ndarray
    cols: np.ndarray
    cost: float


def box_area(boxes: torch.Tensor) -> torch.Tensor:
    return (boxes[:, 2] - boxes[:, 0]).clamp(min=0) * (boxes[:, 3] - boxes[:, 1]).clamp(min=0)


def box_iou(a: torch.Tensor, b: torch.Tensor, eps: float = 1e-7) -> torch.Tensor:
    """Pairwise IoU of ``[N, 4]`` and ``[M, 4]`` boxes in xyxy format."""
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (box_area(a)[:, None] + box_area(b)[None] - inter + eps)


def _as_float_matrix(cost: ArrayLike) -> np.ndarray:
    if isinstance(cost, torch.Tensor):
        cost = cost.detach().double().cpu().numpy()
    cost = np.asarray(cost, dtype=np.float64)
    if cost.ndim != 2:
        raise ValueError("cost has to be a matrix, got shape {}".format(cost.shape))
    if not np.isfinite(cost).all():
        cost = np.where(np.isfinite(cost), cost, 1e9)
    return cost


def linear_assignment(cost: ArrayLike) -> Match:
    """Hungarian algorithm with potentials, O(n^2 m). Rows may be more or fewer than columns."""
    cost = _as_float_matrix(cost)
    transposed = cost.shape[0] > cost.shape[1]
    if transposed:
        cost = cost.T
    n, m = cost.shape
    u, v = np.zeros(n + 1), np.zeros(m + 1)
    parent, way = np.zeros(m + 1, dtype=int), np.zeros(m + 1, dtype=int)
    for i in range(1, n + 1):
        parent[0], j0 = i, 0
        minv, used = np.full(m + 1, math.inf), np.zeros(m + 1, dtype=bool)
        while True:
            used[j0] = True
            i0, delta, j1 = parent[j0], math.inf, -1
            for j in range(1, m + 1):
                if used[j]:
                    continue
                cur = cost[i0 - 1, j - 1] - u[i0] - v[j]
                if cur < minv[j]:
                    minv[j], way[j] = cur, j0
                if minv[j] < delta:
                    delta, j1 = minv[j], j
            u[parent[used]] += delta
            v[used] -= delta
            minv[~used] -= delta
            j0 = j1
            if parent[j0] == 0:
                break
        while j0:
            j1 = way[j0]
            parent[j0] = parent[j1]
            j0 = j1
    cols = np.nonzero(parent[1:])[0]
    rows = parent[1:][cols] - 1
    total = float(cost[rows, cols].sum())
    return Match(cols, rows, total) if transposed else Match(rows, cols, total)


@dataclass
class TrackingAccumulator:
    """Accumulates CLEAR-MOT style counts over the frames of one sequence."""

    iou_threshold: float = 0.5
    matches: int = 0
    misses: int = 0
    false_positives: int = 0
    switches: int = 0
    _last: Dict[int, int] = field(default_factory=dict)
    _history: List[np.ndarray] = field(default_factory=list)

    def _pairs(self, iou: torch.Tensor) -> List[Tuple[int, int]]:
        if iou.numel() == 0:
            return []
        self._history.append(iou.max(dim=0).values.cpu().numpy())
        match = linear_assignment(1.0 - iou)
        keep = iou[match.rows, match.cols] >= self.iou_threshold
        return [(int(r), int(c)) for r, c, k in zip(match.rows, match.cols, keep.tolist()) if k]

    def update(self, gt_boxes, gt_ids, boxes, ids) -> None:
        """Add one frame.

        Args:
            gt_boxes, boxes: ``[N, 4]`` and ``[M, 4]`` tensors.
            gt_ids, ids: their identities.
        """
        pairs = self._pairs(box_iou(gt_boxes, boxes))
        gt_ids, ids = gt_ids.tolist(), ids.tolist()
        for r, c in pairs:
            previous = self._last.get(gt_ids[r])
            if previous is not None and previous != ids[c]:
                self.switches += 1
            self._last[gt_ids[r]] = ids[c]
        self.matches += len(pairs)
        self.misses += len(gt_ids) - len(pairs)
        self.false_positives += len(ids) - len(pairs)

    @property
    def mota(self) -> float:
        total = self.matches + self.misses
        if total == 0:
            return float("nan")
        return 1.0 - (self.misses + self.false_positives + self.switches) / total
