"""Evaluation harness: runs a set of evaluators on a classifier."""
import warnings
from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

EVALUATORS = OrderedDict()


def evaluator(cls):
    """Class decorator that makes an evaluator available by its name."""
    if cls.name in EVALUATORS:
        warnings.warn("evaluator {!r} is redefined".format(cls.name))
    EVALUATORS[cls.name] = cls
    return cls


class Evaluator:
    name = None
    higher_is_better = True

    def compute(self, probs, labels):
        """Returns a float for probabilities ``[N, C]`` and labels ``[N]``."""
        raise NotImplementedError

    def __call__(self, probs, labels):
        if probs.dim() != 2:
            raise ValueError("expected [N, C], got {}".format(tuple(probs.shape)))
        if len(probs) != len(labels):
            raise ValueError("{} predictions for {} labels".format(len(probs), len(labels)))
        return float(self.compute(probs, labels))


@evaluator
class Accuracy(Evaluator):
    name = "accuracy"

    def __init__(self, top_k=1):
        self.top_k = top_k

    def compute(self, probs, labels):
        top = probs.topk(self.top_k, dim=1).indices
        return (top == labels[:, None]).any(1).float().mean()


@evaluator
class Brier(Evaluator):
    name = "brier"
    higher_is_better = False

    def compute(self, probs, labels):
        one_hot = F.one_hot(labels, probs.size(1)).to(probs.dtype)
        return (probs - one_hot).pow(2).sum(1).mean()


@evaluator
class MacroF1(Evaluator):
    name = "macro_f1"

    def compute(self, probs, labels):
        preds, labels = probs.argmax(1).cpu().numpy(), labels.cpu().numpy()
        scores = []
        for c in range(probs.size(1)):
            tp = np.sum((preds == c) & (labels == c))
            denominator = np.sum(preds == c) + np.sum(labels == c)
            if denominator:
                scores.append(2.0 * tp / denominator)
        return np.mean(scores) if scores else 0.0


@evaluator
class CalibrationError(Evaluator):
    """Expected (or maximum) calibration error with bins of equal width or equal mass."""

    name = "ece"
    higher_is_better = False

    def __init__(self, n_bins=15, norm="l1", equal_mass=False):
        if norm not in ("l1", "max"):
            raise ValueError("norm should be 'l1' or 'max'")
        self.n_bins = n_bins
        self.norm = norm
        self.equal_mass = equal_mass

    def _boundaries(self, confidence):
        q = torch.linspace(0, 1, self.n_bins + 1)[1:-1]
        if self.equal_mass:
            return torch.quantile(confidence, q.to(confidence.device))
        return q.to(confidence.device)

    def compute(self, probs, labels):
        confidence, predictions = probs.max(dim=1)
        correct = predictions.eq(labels).to(probs.dtype)
        boundaries = self._boundaries(confidence)
        bins = torch.bucketize(confidence.contiguous(), boundaries)

        zeros = probs.new_zeros(self.n_bins)
        count = zeros.scatter_add(0, bins, torch.ones_like(confidence))
        conf_sum = zeros.scatter_add(0, bins, confidence)
        acc_sum = zeros.scatter_add(0, bins, correct)
        gap = ((conf_sum - acc_sum) / count.clamp(min=1)).abs()
        if self.norm == "max":
            return gap.max()
        return (gap * count / count.sum()).sum()


class TemperatureScaling(nn.Module):
    """Fits one temperature on held-out logits."""

    def __init__(self, init=1.5):
        super().__init__()
        self.temperature = nn.Parameter(torch.full((1,), float(init)))

    def forward(self, logits):
        return logits / self.temperature.clamp(min=1e-3)

    def fit(self, logits, labels, max_iter=20):
        self.to(logits.device)
        optimizer = torch.optim.LBFGS([self.temperature], lr=0.1, max_iter=max_iter)

        def closure():
            optimizer.zero_grad()
            loss = F.cross_entropy(self(logits), labels)
            loss.backward()
            return loss

        optimizer.step(closure)
        return self.temperature.item()


class Harness:
    def __init__(self, evaluators=None, device=None, calibrate=False):
        names = list(evaluators or EVALUATORS)
        unknown = [n for n in names if isinstance(n, str) and n not in EVALUATORS]
        if unknown:
            raise KeyError("unknown evaluators: {}".format(", ".join(unknown)))
        self.evaluators = [EVALUATORS[n]() if isinstance(n, str) else n for n in names]
        self.device = device
        self.calibrate = calibrate

    @torch.no_grad()
    def predict(self, model, loader):
        device = self.device or next(model.parameters()).device
        was_training = model.training
        model.eval()
        logits, labels = [], []
        for x, y in loader:
            logits.append(model(x.to(device)).float())
            labels.append(y)
        model.train(was_training)
        return torch.cat(logits), torch.cat(labels).to(device)

    def run(self, model, loader):
        logits, labels = self.predict(model, loader)
        results = OrderedDict()
        if self.calibrate:
            scaler = TemperatureScaling()
            results["temperature"] = scaler.fit(logits, labels)
            logits = scaler(logits).detach()
        probs = logits.softmax(dim=1)
        for e in self.evaluators:
            results[e.name] = e(probs, labels)
        return results
