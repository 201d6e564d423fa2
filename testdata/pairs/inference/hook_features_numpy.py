"""Dump intermediate features of a network for a linear probe / kNN analysis."""
import argparse
import os
import tempfile
from collections import defaultdict

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class NoisyPatterns(Dataset):
    def __init__(self, n, classes=3, size=12, seed=0):
        rng = np.random.default_rng(seed)
        self.base = rng.normal(size=(classes, 1, size, size)).astype(np.float32)
        self.labels = rng.integers(0, classes, size=n)
        self.noise = rng.normal(scale=0.5, size=(n, 1, size, size)).astype(np.float32)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        y = int(self.labels[i])
        return torch.from_numpy(self.base[y] + self.noise[i]), y


class SmallResNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 3, padding=1)
        self.layer1 = nn.Sequential(nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1))
        self.layer2 = nn.Sequential(nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1))
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        x = self.stem(x)
        x = x + self.layer1(x)
        x = self.layer2(x)
        return self.fc(x.mean((2, 3)))


class FeatureRecorder:
    """with FeatureRecorder(model, ["layer1"]) as rec: model(x); rec.stack()"""

    def __init__(self, model, layers, reduce="gap"):
        self.model = model
        self.layers = layers
        self.reduce = reduce
        self.store = defaultdict(list)
        self._handles = []

    def _make_hook(self, name):
        def hook(module, inputs, output):
            feat = output.detach()
            if self.reduce == "gap" and feat.dim() == 4:
                feat = feat.mean(dim=(2, 3))
            self.store[name].append(feat.cpu())
        return hook

    def __enter__(self):
        modules = dict(self.model.named_modules())
        for name in self.layers:
            self._handles.append(modules[name].register_forward_hook(self._make_hook(name)))
        return self

    def __exit__(self, *exc):
        for h in self._handles:
            h.remove()
        self._handles.clear()

    def stack(self):
        return {k: np.concatenate(v, axis=0) for k, v in self.store.items()}


def knn_accuracy(train_x, train_y, test_x, test_y, k=3):
    d = ((test_x[:, None] - train_x[None]) ** 2).sum(-1)
    votes = train_y[np.argsort(d, axis=1)[:, :k]]
    pred = np.array([np.bincount(v).argmax() for v in votes])
    return (pred == test_y).mean()


def dump(model, loader, layers, device):
    labels, correct = [], 0
    with FeatureRecorder(model, layers) as rec, torch.no_grad():
        for x, y in loader:
            logits = model(x.to(device, non_blocking=True))
            correct += (logits.argmax(1).cpu() == y).sum().item()
            labels.append(y.numpy())
    return rec.stack(), np.concatenate(labels), correct / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", nargs="+", default=["stem", "layer1", "layer2"])
    parser.add_argument("--batch-size", type=int, default=8)
    args = parser.parse_args()
    args.device = "cuda" if torch.cuda.is_available() else "cpu"

    torch.manual_seed(0)
    model = SmallResNet().to(args.device).eval()
    train, y_train, _ = dump(model, DataLoader(NoisyPatterns(32, seed=0), args.batch_size), args.layers, args.device)
    test, y_test, acc = dump(model, DataLoader(NoisyPatterns(16, seed=0), args.batch_size), args.layers, args.device)
    print(f"head accuracy {acc:.3f}")
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "features.npz")
        np.savez(path, labels=y_train, **train)
        saved = np.load(path)
        for name in args.layers:
            print(name, saved[name].shape, knn_accuracy(saved[name], saved["labels"], test[name], y_test))


if __name__ == "__main__":
    main()
