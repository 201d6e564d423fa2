"""Callbacks of the training loop: stochastic weight averaging, early stopping, best weights."""
import math
from typing import Dict, List, Optional

import torch
from torch import nn


class Callback:
    """Hooks are called in the order in which callbacks were added."""

    def on_fit_start(self, loop) -> None: ...
    def on_epoch_end(self, loop) -> None: ...
    def on_validation_start(self, loop) -> None: ...
    def on_validation_end(self, loop, value: float) -> None: ...
    def on_fit_end(self, loop) -> None: ...


class WeightAveraging(Callback):
    """Averages the weights of the last epochs and validates with the averages.

    Both the averages and the weights that wait during validation are kept in host memory,
    so that the model needs no more memory on the accelerator.
    """

    def __init__(self, start_epoch: int = 0, every: int = 1) -> None:
        if every < 1:
            raise ValueError("every must be positive")
        self.start_epoch = start_epoch
        self.every = every
        self.n_averaged = 0
        self._average: Dict[str, torch.Tensor] = {}
        self._waiting: Optional[Dict[str, torch.Tensor]] = None

    @property
    def active(self) -> bool:
        return self.n_averaged > 0

    def on_epoch_end(self, loop) -> None:
        if loop.epoch < self.start_epoch or (loop.epoch - self.start_epoch) % self.every:
            return
        for name, p in loop.model.named_parameters():
            value = p.detach().cpu()
            if name not in self._average:
                self._average[name] = value.clone()
            else:
                self._average[name].add_((value - self._average[name]) / (self.n_averaged + 1))
        self.n_averaged += 1

    def on_validation_start(self, loop) -> None:
        if not self.active:
            return
        self._waiting = {}
        with torch.no_grad():
            for name, p in loop.model.named_parameters():
                self._waiting[name] = p.detach().to("cpu", copy=True)
                p.copy_(self._average[name])

    def on_validation_end(self, loop, value: float) -> None:
        if self._waiting is None:
            return
        for name, p in loop.model.named_parameters():
            p.data.copy_(self._waiting[name])
        self._waiting = None


class EarlyStopping(Callback):
    def __init__(self, patience: int = 3, min_delta: float = 0.0) -> None:
        self.patience = patience
        self.min_delta = min_delta
        self.best = math.inf
        self.bad_epochs = 0

    def on_validation_end(self, loop, value: float) -> None:
        if value < self.best - self.min_delta:
            self.best, self.bad_epochs = value, 0
        else:
            self.bad_epochs += 1
            loop.should_stop = self.bad_epochs > self.patience


class BestWeights(Callback):
    def __init__(self) -> None:
        self.best = math.inf
        self.state: Optional[dict] = None

    def on_validation_end(self, loop, value: float) -> None:
        if value < self.best:
            self.best = value
            self.state = {k: v.detach().cpu().clone() for k, v in loop.model.state_dict().items()}

    def on_fit_end(self, loop) -> None:
        if self.state is not None:
            loop.model.load_state_dict(self.state)


class Loop:
    """A minimal training loop.

    Args:
        model: maps inputs to outputs.
        loss_fn: maps outputs and targets to a scalar.
        optimizer: over the parameters of ``model``.
        callbacks: see :class:`Callback`.
        device: where batches go, by default where the model is.
    """

    def __init__(self, model: nn.Module, loss_fn, optimizer, callbacks: Optional[List[Callback]] = None, device=None):
        self.model = model
        self.loss_fn = loss_fn
        self.optimizer = optimizer
        self.callbacks = list(callbacks or [])
        self.device = torch.device(device) if device is not None else next(model.parameters()).device
        self.epoch = 0
        self.should_stop = False
        self.history: List[Dict[str, float]] = []

    def _call(self, hook: str, *args) -> None:
        for callback in self.callbacks:
            getattr(callback, hook)(self, *args)

    def _loss(self, batch) -> torch.Tensor:
        x, y = (t.to(self.device) for t in batch)
        return self.loss_fn(self.model(x), y)

    def _train_epoch(self, loader) -> float:
        self.model.train()
        losses = []
        for batch in loader:
            loss = self._loss(batch)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            losses.append(loss.detach())
        return torch.stack(losses).mean().item()

    @torch.no_grad()
    def validate(self, loader) -> float:
        self._call("on_validation_start")
        self.model.eval()
        total, n = 0.0, 0
        for batch in loader:
            total += self._loss(batch).item() * len(batch[0])
            n += len(batch[0])
        value = total / max(n, 1)
        self._call("on_validation_end", value)
        return value

    def fit(self, train_loader, val_loader=None, max_epochs: int = 10):
        self._call("on_fit_start")
        while self.epoch < max_epochs and not self.should_stop:
            row = {"train": self._train_epoch(train_loader)}
            self._call("on_epoch_end")
            if val_loader is not None:
                row["val"] = self.validate(val_loader)
            self.history.append(row)
            self.epoch += 1
        self._call("on_fit_end")
        return self.history
