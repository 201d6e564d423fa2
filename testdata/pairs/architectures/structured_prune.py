"""Magnitude, movement and channel pruning with binary masks."""
from abc import ABC, abstractmethod
from collections import OrderedDict

import numpy as np
import torch
import torch.nn as nn


class Pruner(ABC):
    """Computes a mask for one tensor.

    Parameters
    ----------
    amount : float or int
        share (float in [0, 1]) or number (int) of entries that are removed
    """

    registry = {}

    def __init_subclass__(cls, name=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if name is not None:
            Pruner.registry[name] = cls

    def __init__(self, amount):
        if isinstance(amount, float) and not 0.0 <= amount <= 1.0:
            raise ValueError("amount={} should be a float in [0, 1] or an int".format(amount))
        if isinstance(amount, int) and amount < 0:
            raise ValueError("amount={} should be non-negative".format(amount))
        self.amount = amount

    def number(self, total):
        if isinstance(self.amount, float):
            return int(round(self.amount * total))
        return min(self.amount, total)

    @abstractmethod
    def compute_mask(self, tensor, importance=None):
        ...


class RandomPruner(Pruner, name="random"):
    def compute_mask(self, tensor, importance=None):
        n = self.number(tensor.numel())
        mask = torch.ones_like(tensor)
        drop = torch.randperm(tensor.numel())[:n]
        mask.view(-1)[drop] = 0
        return mask


class MagnitudePruner(Pruner, name="magnitude"):
    def compute_mask(self, tensor, importance=None):
        n = self.number(tensor.numel())
        mask = torch.ones_like(tensor)
        if n:
            scores = importance if importance is not None else tensor.abs()
            drop = torch.topk(scores.reshape(-1), k=n, largest=False).indices
            mask.view(-1)[drop] = 0
        return mask


class ChannelPruner(Pruner, name="channel"):
    """Removes whole slices along ``dim``, those with the smallest L``p`` norm."""

    def __init__(self, amount, p=2, dim=0):
        super().__init__(amount)
        self.p = p
        self.dim = dim

    def norms(self, tensor):
        dims = tuple(d for d in range(tensor.dim()) if d != self.dim)
        return torch.linalg.vector_norm(tensor, ord=self.p, dim=dims)

    def compute_mask(self, tensor, importance=None):
        scores = self.norms(importance if importance is not None else tensor)
        n = self.number(scores.numel())
        keep = torch.ones_like(scores, dtype=torch.bool)
        if n:
            drop = torch.topk(scores, k=n, largest=False).indices
            keep.scatter_(0, drop, False)
        shape = [1] * tensor.dim()
        shape[self.dim] = -1
        return keep.view(shape).to(tensor).expand_as(tensor).clone()


class MaskedModule:
    """Mixin of the attributes that a pruned module gets."""

    @staticmethod
    def attach(module, name, mask):
        weight = getattr(module, name)
        if name + "_orig" not in module._parameters:
            del module._parameters[name]
            module.register_parameter(name + "_orig", weight)
            module.register_buffer(name + "_mask", mask)
            module.register_forward_pre_hook(lambda m, _: MaskedModule.refresh(m, name))
        else:
            getattr(module, name + "_mask").mul_(mask)
        MaskedModule.refresh(module, name)

    @staticmethod
    def refresh(module, name):
        setattr(module, name, getattr(module, name + "_orig") * getattr(module, name + "_mask"))

    @staticmethod
    def sparsity(module, name):
        mask = getattr(module, name + "_mask", None)
        return 0.0 if mask is None else float(1.0 - mask.mean())


def prunable(model, types=(nn.Linear, nn.Conv1d, nn.Conv2d)):
    return OrderedDict((k, m) for k, m in model.named_modules() if isinstance(m, types))


def prune_layers(model, method="magnitude", amount=0.3, name="weight", use_grad=False, **kwargs):
    """Prune every layer on its own; returns the sparsity of each."""
    if method not in Pruner.registry:
        raise KeyError("unknown pruning method %r" % (method,))
    pruner = Pruner.registry[method](amount, **kwargs)
    report = OrderedDict()
    for key, module in prunable(model).items():
        tensor = getattr(module, name).detach()
        importance = None
        if use_grad and getattr(module, name).grad is not None:
            importance = (tensor * getattr(module, name).grad).abs()
        MaskedModule.attach(module, name, pruner.compute_mask(tensor, importance))
        report[key] = MaskedModule.sparsity(module, name)
    return report


def global_threshold(model, amount, name="weight", sample=100000, seed=0):
    """Estimate of the magnitude below which a share ``amount`` of all weights lies."""
    rng = np.random.RandomState(seed)
    pools = []
    for module in prunable(model).values():
        flat = getattr(module, name).detach().abs().cpu().numpy().ravel()
        if flat.size > sample:
            flat = flat[rng.randint(0, flat.size, sample)]
        pools.append(flat)
    return float(np.quantile(np.concatenate(pools), amount))
