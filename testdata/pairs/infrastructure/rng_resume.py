# -*- coding: utf-8 -*-
"""Checkpointing of training runs, with reproducible resuming."""
import glob
import os
import random
import re
import shutil
import warnings

import numpy as np
import torch

CHECKPOINT_PATTERN = re.compile(r"^checkpoint-(\d+)\.pt$")


def unwrap_model(model):
    """Strips DataParallel / DistributedDataParallel wrappers."""
    while hasattr(model, "module"):
        model = model.module
    return model


def _numpy_to_plain(obj):
    if isinstance(obj, np.ndarray):
        return obj.tolist()
    if isinstance(obj, np.generic):
        return obj.item()
    return obj


class RandomStates(object):
    """Snapshot of all random number generators of the process."""

    def __init__(self, include_cuda=True):
        self.include_cuda = include_cuda and torch.cuda.is_available()

    def capture(self):
        np_state = np.random.get_state()
        states = {
            "python": random.getstate(),
            "numpy": [_numpy_to_plain(s) for s in np_state],
            "torch": torch.get_rng_state(),
        }
        return states

    def restore(self, states):
        if "python" in states:
            version, internal, gauss = states["python"]
            random.setstate((version, tuple(internal), gauss))
        if "numpy" in states:
            name, keys, pos, has_gauss, cached = states["numpy"]
            np.random.set_state((name, np.asarray(keys, dtype=np.uint32), pos, has_gauss, cached))
        torch.set_rng_state(states["torch"].cpu())


class Checkpointer(object):
    """Saves and restores ``model``, ``optimizer`` and ``scheduler``.

    :param folder: where the checkpoints go
    :param keep_last: number of checkpoints to keep, ``None`` for all of them
    :param save_rng: whether random states are a part of the checkpoint
    """

    def __init__(self, folder, model, optimizer=None, scheduler=None, keep_last=3, save_rng=True):
        if keep_last is not None and keep_last < 1:
            raise ValueError("keep_last should be positive, got {}".format(keep_last))
        self.folder = folder
        self.model = unwrap_model(model)
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.keep_last = keep_last
        self.rng = RandomStates() if save_rng else None
        os.makedirs(folder, exist_ok=True)

    @property
    def device(self):
        return next(self.model.parameters()).device

    def list(self):
        found = []
        for path in glob.glob(os.path.join(self.folder, "checkpoint-*.pt")):
            match = CHECKPOINT_PATTERN.match(os.path.basename(path))
            if match:
                found.append((int(match.group(1)), path))
        return sorted(found)

    def latest(self):
        existing = self.list()
        return existing[-1][1] if existing else None

    def _prune(self):
        if self.keep_last is None:
            return
        for _, path in self.list()[: -self.keep_last]:
            os.remove(path)

    def save(self, step, **extra):
        payload = {"step": step, "model": self.model.state_dict(), "extra": extra}
        if self.optimizer is not None:
            payload["optimizer"] = self.optimizer.state_dict()
        if self.scheduler is not None:
            payload["scheduler"] = self.scheduler.state_dict()
        if self.rng is not None:
            payload["rng"] = self.rng.capture()
        path = os.path.join(self.folder, "checkpoint-{}.pt".format(step))
        torch.save(payload, path + ".part")
        shutil.move(path + ".part", path)
        self._prune()
        return path

    def load(self, path=None):
        """Loads ``path``, or the latest checkpoint. Returns the step and the extras."""
        path = path or self.latest()
        if path is None:
            warnings.warn("no checkpoint in {}, starting from scratch".format(self.folder))
            return 0, {}
        payload = torch.load(path, map_location=self.device)
        self.model.load_state_dict(payload["model"])
        if self.optimizer is not None and "optimizer" in payload:
            self.optimizer.load_state_dict(payload["optimizer"])
        if self.scheduler is not None and "scheduler" in payload:
            self.scheduler.load_state_dict(payload["scheduler"])
        if self.rng is not None and "rng" in payload:
            self.rng.restore(payload["rng"])
        return payload["step"], payload["extra"]


def average_checkpoints(paths):
    """Averages the model weights of several checkpoints, on the CPU."""
    total, n = {}, 0
    for path in paths:
        weights = torch.load(path, map_location="cpu")["model"]
        for k, v in weights.items():
            total[k] = total[k] + v if k in total else v.clone()
        n += 1
    return {k: (v / n if v.is_floating_point() else v // n) for k, v in total.items()}
