"""Ranking metrics which are computed over a whole evaluation run."""
from typing import Any, Dict, Iterable, List, Optional

import torch
from torch import Tensor


def _group_sizes(sorted_ids: Tensor) -> List[int]:
    _, counts = torch.unique_consecutive(sorted_ids, return_counts=True)
    return counts.cpu().tolist()


def precision_at_k(scores: Tensor, target: Tensor, k: Optional[int] = None) -> Tensor:
    k = min(k or scores.numel(), scores.numel())
    return target[scores.topk(k).indices].float().sum() / k


def average_precision(scores: Tensor, target: Tensor) -> Tensor:
    hits = target[scores.argsort(descending=True)].bool()
    if not hits.any():
        return torch.tensor(0.0)
    positions = torch.arange(1, hits.numel() + 1, dtype=torch.float32, device=hits.device)[hits]
    return (torch.arange(1, positions.numel() + 1, device=positions.device) / positions).mean()


def ndcg(scores: Tensor, target: Tensor, k: Optional[int] = None) -> Tensor:
    k = min(k or scores.numel(), scores.numel())
    discount = torch.log2(torch.arange(k, device=scores.device) + 2.0)
    gain = (target[scores.topk(k).indices] / discount).sum()
    ideal = (target.float().topk(k).values / discount).sum()
    return torch.where(ideal > 0, gain / ideal.clamp(min=1e-12), torch.zeros_like(ideal))


class EpochMetric(object):
    """Stores what it gets and evaluates it at the end of the epoch.

    Args:
        offload: keep the stored tensors in host memory; an evaluation set may not fit on the accelerator.
    """

    fields = ("scores", "target")

    def __init__(self, offload: bool = False) -> None:
        self.offload = offload
        self._store: Dict[str, List[Tensor]] = {}
        self.reset()

    def reset(self) -> None:
        self._store = {name: [] for name in self.fields}

    def _append(self, name: str, value: Tensor) -> None:
        value = value.detach()
        if self.offload:
            value = value.to("cpu", torch.float32 if value.is_floating_point() else value.dtype)
        self._store[name].append(value)

    def _gathered(self) -> Dict[str, Tensor]:
        if not self._store[self.fields[0]]:
            raise RuntimeError("The metric has no data yet, call `update` first")
        return {name: torch.cat([v.reshape(-1) for v in values]) for name, values in self._store.items()}

    def update(self, *args: Tensor) -> None:
        if len(args) != len(self.fields):
            raise TypeError("expected the arguments {}".format(", ".join(self.fields)))
        if any(a.shape != args[0].shape for a in args):
            raise ValueError("all arguments need the same shape")
        for name, value in zip(self.fields, args):
            self._append(name, value)

    def compute(self) -> Any:
        raise NotImplementedError


class AUROC(EpochMetric):
    """Area under the ROC curve of a binary classifier, from the rank sum."""

    def compute(self) -> float:
        data = self._gathered()
        order = data["scores"].argsort()
        ranks = torch.empty_like(data["scores"], dtype=torch.float64)
        ranks[order] = torch.arange(1, order.numel() + 1, dtype=torch.float64, device=order.device)
        positive = data["target"] > 0
        n_pos, n_neg = int(positive.sum()), int((~positive).sum())
        if n_pos == 0 or n_neg == 0:
            return float("nan")
        return float((ranks[positive].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


class RetrievalMetric(EpochMetric):
    """Mean of a ranking metric over the queries.

    Args:
        kind: ``"map"``, ``"precision"`` or ``"ndcg"``.
        empty_action: what to do for queries without a relevant document: ``"neg"`` (0), ``"pos"`` (1), ``"skip"``.
    """

    fields = ("scores", "target", "query")

    def __init__(self, kind: str = "map", k: Optional[int] = None, empty_action: str = "neg", **kwargs: Any) -> None:
        super(RetrievalMetric, self).__init__(**kwargs)
        if empty_action not in ("neg", "pos", "skip"):
            raise ValueError("Argument `empty_action` received a wrong value `{}`.".format(empty_action))
        self.kind = kind
        self.k = k
        self.empty_action = empty_action

    def _metric(self, scores: Tensor, target: Tensor) -> Tensor:
        if self.kind == "map":
            return average_precision(scores, target)
        if self.kind == "precision":
            return precision_at_k(scores, target, self.k)
        return ndcg(scores, target, self.k)

    def _per_query(self, data: Dict[str, Tensor]) -> Iterable[float]:
        query, order = torch.sort(data["query"], stable=True)
        scores, target = data["scores"][order], data["target"][order]
        sizes = _group_sizes(query)
        for s, t in zip(scores.split(sizes), target.split(sizes)):
            if bool((t > 0).any()):
                yield float(self._metric(s, t))
            elif self.empty_action != "skip":
                yield 1.0 if self.empty_action == "pos" else 0.0

    def compute(self) -> float:
        values = torch.tensor(list(self._per_query(self._gathered())))
        return float(values.mean()) if values.numel() else 0.0
