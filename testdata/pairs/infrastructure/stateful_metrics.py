"""Metrics that accumulate over batches."""
from abc import ABC, abstractmethod
from copy import deepcopy
from typing import Any, Callable, Dict, List, Optional, Union

import torch
from torch import Tensor
from torch.nn import Module


class Metric(Module, ABC):
    """Base class of all metrics.

    Subclasses declare their states with :meth:`add_state` and implement :meth:`update`
    and :meth:`compute`. States follow the metric when it is moved between devices.
    """

    def __init__(self, dist_reduce: Optional[Callable[[Tensor], Tensor]] = None) -> None:
        super().__init__()
        self._device = torch.device("cpu")
        self._defaults: Dict[str, Union[Tensor, List]] = {}
        self.dist_reduce = dist_reduce
        self._computed: Any = None
        self._update_count = 0

    def add_state(self, name: str, default: Union[Tensor, List]) -> None:
        if not isinstance(default, (Tensor, list)) or (isinstance(default, list) and default):
            raise ValueError("state variable must be a tensor or an empty list")
        if isinstance(default, Tensor):
            default = default.contiguous()
        self._defaults[name] = deepcopy(default)
        setattr(self, name, default)

    @property
    def device(self) -> torch.device:
        return self._device

    @abstractmethod
    def update(self, *args: Any, **kwargs: Any) -> None:
        ...

    @abstractmethod
    def compute(self) -> Any:
        ...

    def forward(self, *args: Any, **kwargs: Any) -> None:
        self._computed = None
        self._update_count += 1
        self.update(*args, **kwargs)

    def result(self) -> Any:
        if self._update_count == 0:
            raise RuntimeError(f"{type(self).__name__}.result was called before any update")
        if self._computed is None:
            self._computed = self.compute()
        return self._computed

    def reset(self) -> None:
        """Resets the states to their defaults."""
        self._update_count = 0
        self._computed = None
        for name, default in self._defaults.items():
            if isinstance(default, Tensor):
                setattr(self, name, default.detach().clone().to(self._device))
            else:
                setattr(self, name, [])

    def _apply(self, fn: Callable, *args: Any, **kwargs: Any) -> "Metric":
        this = super()._apply(fn, *args, **kwargs)
        for name in this._defaults:
            value = getattr(this, name)
            if isinstance(value, Tensor):
                setattr(this, name, fn(value))
            else:
                setattr(this, name, [fn(v) for v in value])
        this._device = fn(torch.zeros(1, device=this._device)).device
        return this


class ConfusionMatrix(Metric):
    def __init__(self, num_classes: int, normalize: Optional[str] = None, ignore_index: int = -100) -> None:
        super().__init__()
        if normalize not in (None, "true", "pred", "all"):
            raise ValueError(f"normalize should be None, 'true', 'pred' or 'all', got {normalize}")
        self.num_classes = num_classes
        self.normalize = normalize
        self.ignore_index = ignore_index
        self.add_state("confmat", torch.zeros(num_classes, num_classes, dtype=torch.long))

    def update(self, preds: Tensor, target: Tensor) -> None:
        if preds.dim() == target.dim() + 1:
            preds = preds.argmax(dim=1)
        keep = target != self.ignore_index
        index = target[keep] * self.num_classes + preds[keep]
        bins = torch.bincount(index, minlength=self.num_classes**2)
        self.confmat += bins.view(self.num_classes, self.num_classes)

    def compute(self) -> Tensor:
        cm = self.confmat
        if self.normalize is None:
            return cm
        cm = cm.double()
        dim = {"true": 1, "pred": 0, "all": (0, 1)}[self.normalize]
        return cm / cm.sum(dim=dim, keepdim=True).clamp(min=1)


class MeanMetric(Metric):
    def __init__(self) -> None:
        super().__init__()
        self.add_state("total", torch.tensor(0.0))
        self.add_state("weight", torch.tensor(0.0))

    def update(self, value: Union[float, Tensor], weight: Union[float, Tensor] = 1.0) -> None:
        value = torch.as_tensor(value, dtype=torch.float32, device=self.device)
        weight = torch.as_tensor(weight, dtype=torch.float32, device=self.device).expand_as(value)
        self.total += (value * weight).sum()
        self.weight += weight.sum()

    def compute(self) -> Tensor:
        return self.total / self.weight.clamp(min=1e-12)


class AUROC(Metric):
    """Exact area under the ROC curve of binary scores."""

    def __init__(self) -> None:
        super().__init__()
        self.add_state("scores", [])
        self.add_state("labels", [])

    def update(self, scores: Tensor, labels: Tensor) -> None:
        self.scores.append(scores.detach().flatten())
        self.labels.append(labels.detach().flatten().bool())

    def compute(self) -> Tensor:
        scores, labels = torch.cat(self.scores), torch.cat(self.labels)
        ranks = scores.argsort().argsort().double() + 1
        n_pos = labels.sum()
        n_neg = labels.numel() - n_pos
        return (ranks[labels].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg).clamp(min=1)
