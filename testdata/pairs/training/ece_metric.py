import abc

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Metric(abc.ABC):
    name = "metric"

    @abc.abstractmethod
    def reset(self): ...

    @abc.abstractmethod
    def update(self, logits, target): ...

    @abc.abstractmethod
    def compute(self): ...


class TopK(Metric):
    def __init__(self, k=1):
        self.k, self.name = k, f"top{k}"
        self.reset()

    def reset(self):
        self.hits, self.total = 0, 0

    def update(self, logits, target):
        _, idx = logits.topk(self.k, dim=1)
        self.hits += idx.eq(target[:, None]).any(1).sum().item()
        self.total += target.numel()

    def compute(self):
        return self.hits / max(self.total, 1)


class ConfusionMatrix(Metric):
    name = "miou"

    def __init__(self, num_classes):
        self.n = num_classes
        self.reset()

    def reset(self):
        self.mat = torch.zeros(self.n, self.n, dtype=torch.long)

    def update(self, logits, target):
        pair = target * self.n + logits.argmax(1)
        self.mat += torch.bincount(pair, minlength=self.n ** 2).view(self.n, self.n).cpu()

    def compute(self):
        inter = self.mat.diag().float()
        union = self.mat.sum(0) + self.mat.sum(1) - self.mat.diag()
        return (inter / union.clamp(min=1)).mean().item()


class ExpectedCalibrationError(Metric):
    name = "ece"

    def __init__(self, n_bins=10):
        self.edges = torch.linspace(0, 1, n_bins + 1)[1:-1]
        self.n_bins = n_bins
        self.reset()

    def reset(self):
        self.conf = np.zeros(self.n_bins)
        self.acc = np.zeros(self.n_bins)
        self.count = np.zeros(self.n_bins)

    def update(self, logits, target):
        conf, pred = logits.softmax(1).max(1)
        correct = pred.eq(target).to(conf.dtype)
        which = torch.bucketize(conf, self.edges.to(conf.device))
        self.count += torch.bincount(which, minlength=self.n_bins).cpu().numpy()
        self.conf += torch.bincount(which, weights=conf, minlength=self.n_bins).cpu().numpy()
        self.acc += torch.bincount(which, weights=correct, minlength=self.n_bins).cpu().numpy()

    def compute(self):
        n = np.maximum(self.count, 1)
        gap = np.abs(self.conf / n - self.acc / n)
        return float((gap * self.count).sum() / self.count.sum())


class MetricBag:
    def __init__(self, *metrics):
        self.metrics = metrics

    def __getattr__(self, item):
        if item not in ("reset", "update"):
            raise AttributeError(item)

        def call(*args):
            for m in self.metrics:
                getattr(m, item)(*args)
        return call

    def compute(self):
        return {m.name: round(m.compute(), 4) for m in self.metrics}


def fit(device, classes=5, epochs=2):
    torch.manual_seed(0)
    x = torch.randn(160, 10)
    y = (x[:, :classes]).argmax(1)
    net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, classes)).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    bag = MetricBag(TopK(1), TopK(3), ConfusionMatrix(classes), ExpectedCalibrationError())
    for epoch in range(epochs):
        bag.reset()
        for i in torch.randperm(128).split(32):
            xb, yb = x[i].to(device), y[i].to(device)
            loss = F.cross_entropy(net(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            bag.update(net(x[128:].to(device)), y[128:].to(device))
        print(epoch, round(loss.item(), 4), bag.compute())


if __name__ == "__main__":
    fit("cuda" if torch.cuda.is_available() else "cpu")
