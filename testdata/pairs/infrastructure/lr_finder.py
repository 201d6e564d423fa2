# encoding: utf-8
"""Learning rate range test (Smith, 2017)."""
from __future__ import division, print_function

import copy
import math
import os
import tempfile
import uuid

import numpy as np
import torch
from torch.optim.lr_scheduler import _LRScheduler

try:
    from tqdm import tqdm
except ImportError:
    def tqdm(iterable, **kwargs):
        return iterable


class ExponentialLR(_LRScheduler):
    """Increases the learning rate exponentially between two boundaries."""

    def __init__(self, optimizer, end_lr, num_iter, last_epoch=-1):
        self.end_lr = end_lr
        self.num_iter = num_iter
        super(ExponentialLR, self).__init__(optimizer, last_epoch)

    def get_lr(self):
        r = self.last_epoch / max(1, self.num_iter - 1)
        return [base_lr * (self.end_lr / base_lr) ** r for base_lr in self.base_lrs]


class StateCacher(object):
    """Keeps copies of state dicts in memory or on the disk."""

    def __init__(self, in_memory=True, cache_dir=None):
        self.in_memory = in_memory
        self.cache_dir = cache_dir or tempfile.gettempdir()
        self.cached = {}

    def store(self, key, state_dict):
        if self.in_memory:
            self.cached[key] = copy.deepcopy(state_dict)
        else:
            fn = os.path.join(self.cache_dir, "state_{}_{}.pt".format(key, uuid.uuid4().hex))
            torch.save(state_dict, fn)
            self.cached[key] = fn

    def retrieve(self, key):
        if key not in self.cached:
            raise KeyError("Target {} was not cached.".format(key))
        if self.in_memory:
            return self.cached[key]
        return torch.load(self.cached[key], map_location=lambda storage, location: storage)


class LRFinder(object):
    """Trains with an increasing learning rate and records the loss.

    Arguments:
        model (torch.nn.Module): wrapped model.
        optimizer (torch.optim.Optimizer): its learning rate is the lower boundary.
        criterion (callable): loss function.
        device (str or torch.device, optional): default is the model's device.
    """

    def __init__(self, model, optimizer, criterion, device=None, memory_cache=True):
        self.model = model
        self.optimizer = optimizer
        self.criterion = criterion
        self.history = {"lr": [], "loss": []}
        self.best_loss = None
        self.model_device = next(self.model.parameters()).device
        self.device = device if device else self.model_device
        self.state_cacher = StateCacher(memory_cache)
        self.state_cacher.store("model", self.model.state_dict())
        self.state_cacher.store("optimizer", self.optimizer.state_dict())

    def reset(self):
        self.model.load_state_dict(self.state_cacher.retrieve("model"))
        self.optimizer.load_state_dict(self.state_cacher.retrieve("optimizer"))
        self.model.to(self.model_device)

    def _inf_iter(self, loader):
        while True:
            for batch in loader:
                yield batch

    def _train_batch(self, batch, accumulation_steps):
        self.model.train()
        self.optimizer.zero_grad()
        total_loss = 0.0
        for inputs, labels in batch:
            inputs, labels = inputs.to(self.device), labels.to(self.device)
            loss = self.criterion(self.model(inputs), labels) / accumulation_steps
            loss.backward()
            total_loss += loss.item()
        self.optimizer.step()
        return total_loss

    def range_test(self, train_loader, end_lr=10, num_iter=100, smooth_f=0.05,
                   diverge_th=5, accumulation_steps=1):
        if smooth_f < 0 or smooth_f >= 1:
            raise ValueError("smooth_f is outside the range [0, 1[")
        self.history = {"lr": [], "loss": []}
        self.best_loss = None
        self.model.to(self.device)
        scheduler = ExponentialLR(self.optimizer, end_lr, num_iter)
        batches = self._inf_iter(train_loader)
        for iteration in tqdm(range(num_iter)):
            micro = [next(batches) for _ in range(accumulation_steps)]
            loss = self._train_batch(micro, accumulation_steps)
            self.history["lr"].append(scheduler.get_last_lr()[0])
            scheduler.step()
            if iteration == 0:
                self.best_loss = loss
            else:
                if smooth_f > 0:
                    loss = smooth_f * loss + (1 - smooth_f) * self.history["loss"][-1]
                if loss < self.best_loss:
                    self.best_loss = loss
            self.history["loss"].append(loss)
            if not math.isfinite(loss) or loss > diverge_th * self.best_loss:
                print("Stopping early, the loss has diverged")
                break

    def suggestion(self, skip_start=2, skip_end=1):
        """Learning rate of the steepest descent, None if there are too few points."""
        lrs = np.asarray(self.history["lr"])
        losses = np.asarray(self.history["loss"])
        stop = len(losses) - skip_end
        lrs, losses = lrs[skip_start:stop], losses[skip_start:stop]
        if len(lrs) < 2:
            print("Failed to compute the gradients, there might not be enough points.")
            return None
        return float(lrs[np.gradient(losses).argmin()])
