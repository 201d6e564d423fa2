"""Base class and a few aggregated regression / image metrics."""
from copy import deepcopy
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import torch
from torch import Tensor, nn

_REDUCTIONS: Dict[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda x: torch.sum(x, dim=0),
    "mean": lambda x: torch.mean(x, dim=0),
    "max": lambda x: torch.max(x, dim=0).values,
}


class MetricError(RuntimeError):
    """Raised when a metric is used in a way which is not supported."""


def _check_same_shape(preds: Tensor, target: Tensor) -> None:
    if preds.shape != target.shape:
        raise MetricError(f"Predictions {tuple(preds.shape)} and targets {tuple(target.shape)} differ in shape")


class Metric(nn.Module):
    """Base class of all metrics.

    Subclasses declare their states in ``__init__`` with :meth:`add_state` and implement :meth:`update`
    and :meth:`compute`.
    """

    higher_is_better: Optional[bool] = None

    def __init__(self, persistent: bool = False) -> None:
        super().__init__()
        self._defaults: Dict[str, Union[Tensor, List]] = {}
        self._reductions: Dict[str, Optional[Callable]] = {}
        self._persistent = persistent
        self._update_count = 0
        self._computed: Any = None

    def add_state(self, name: str, default: Union[Tensor, list], dist_reduce_fx: Optional[str] = None) -> None:
        if not name.isidentifier():
            raise ValueError(f"State name has to be an identifier, got {name!r}")
        if isinstance(default, list):
            if default:
                raise ValueError("List states have to start empty")
            setattr(self, name, [])
        else:
            self.register_buffer(name, default.clone(), persistent=self._persistent)
        self._defaults[name] = deepcopy(default)
        self._reductions[name] = _REDUCTIONS[dist_reduce_fx] if dist_reduce_fx else None

    def update(self, *args: Any) -> None:
        raise NotImplementedError

    def compute(self) -> Any:
        raise NotImplementedError

    def reset(self) -> None:
        """Bring every state back to its default."""
        self._update_count = 0
        self._computed = None
        for name, default in self._defaults.items():
            current = getattr(self, name)
            if isinstance(current, list):
                current.clear()
            else:
                setattr(self, name, default.detach().clone().to(current.device))

    def forward(self, *args: Any) -> Any:
        self._computed = None
        self._update_count += 1
        self.update(*args)
        return None

    def result(self) -> Any:
        if self._update_count == 0:
            raise MetricError(f"`compute` of {type(self).__name__} was called before `update`")
        if self._computed is None:
            self._computed = self.compute()
        return self._computed

    def merge(self, others: Sequence["Metric"]) -> None:
        """Merge the states of other instances, which may live somewhere else, into this one."""
        for name, fx in self._reductions.items():
            mine = getattr(self, name)
            if isinstance(mine, list):
                for other in others:
                    mine.extend(getattr(other, name))
            elif fx is not None:
                stacked = torch.stack([mine] + [getattr(o, name).to(mine.device) for o in others])
                setattr(self, name, fx(stacked))


class MeanSquaredError(Metric):
    higher_is_better = False

    def __init__(self, squared: bool = True, num_outputs: int = 1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.squared = squared
        self.num_outputs = num_outputs
        self.add_state("sum_squared_error", torch.zeros(num_outputs), dist_reduce_fx="sum")
        self.add_state("total", torch.tensor(0), dist_reduce_fx="sum")

    def update(self, preds: Tensor, target: Tensor) -> None:
        _check_same_shape(preds, target)
        diff = (preds - target).reshape(-1, self.num_outputs)
        self.sum_squared_error += torch.sum(diff * diff, dim=0)
        self.total += diff.shape[0]

    def compute(self) -> Tensor:
        mse = self.sum_squared_error / self.total
        return mse if self.squared else torch.sqrt(mse)


class PeakSignalNoiseRatio(Metric):
    higher_is_better = True

    def __init__(self, data_range: float = 1.0, base: float = 10.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_range = torch.tensor(float(data_range))
        self.base = base
        self.add_state("scores", [])

    def update(self, preds: Tensor, target: Tensor) -> None:
        _check_same_shape(preds, target)
        mse = ((preds - target) ** 2).flatten(1).mean(dim=1).clamp_min(1e-12)
        psnr = 2 * torch.log(self.data_range) - torch.log(mse)
        self.scores.append(psnr * (10 / torch.log(torch.tensor(self.base))))

    def compute(self) -> Tensor:
        return torch.cat(self.scores).mean()
