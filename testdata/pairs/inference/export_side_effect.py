"""Periodic evaluation with best-model export and a latency profile."""
import contextlib
import statistics
import tempfile
import time
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Timer:
    def __init__(self):
        self.records = {}

    @contextlib.contextmanager
    def section(self, name, cuda=False):
        if cuda:
            torch.cuda.synchronize()
        t0 = time.perf_counter()
        yield
        if cuda:
            torch.cuda.synchronize()
        self.records.setdefault(name, []).append((time.perf_counter() - t0) * 1e3)

    def report(self):
        return {k: f"{statistics.median(v):.2f} ms x{len(v)}" for k, v in self.records.items()}


class Classifier(nn.Module):
    def __init__(self, in_dim=16, classes=3):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(in_dim, 32), nn.BatchNorm1d(32), nn.ReLU())
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


class BestExporter:
    """Writes the weights so that machines without a GPU can read them."""

    def __init__(self, folder, mode="max"):
        self.path = Path(folder) / "best.pt"
        self.sign = 1 if mode == "max" else -1
        self.best = None

    def __call__(self, model, metric, epoch):
        if self.best is not None and self.sign * metric <= self.sign * self.best:
            return False
        self.best = metric
        torch.save({"epoch": epoch, "metric": metric, "state_dict": {k: v.cpu() for k, v in model.state_dict().items()}}, self.path)
        return True


class Experiment:
    def __init__(self, workdir):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.on_gpu = self.device.type == "cuda"
        self.model = Classifier().to(self.device)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-2)
        self.exporter = BestExporter(workdir)
        self.timer = Timer()

    def train_epoch(self, loader):
        self.model.train()
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            loss = F.cross_entropy(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        hits = torch.zeros((), device=self.device)
        seen = 0
        for x, y in loader:
            with self.timer.section("eval_batch", cuda=self.on_gpu):
                logits = self.model(x.to(self.device))
            hits += (logits.argmax(1) == y.to(self.device)).sum()
            seen += y.numel()
        return (hits / seen).item()

    def run(self, train, valid, epochs=3):
        for epoch in range(epochs):
            with self.timer.section("train_epoch", cuda=self.on_gpu):
                self.train_epoch(train)
            acc = self.evaluate(valid)
            exported = self.exporter(self.model, acc, epoch)
            print(f"epoch {epoch} acc {acc:.3f}{' *' if exported else ''}")


def load_for_cpu(path):
    ckpt = torch.load(path, map_location="cpu")
    model = Classifier()
    model.load_state_dict(ckpt["state_dict"])
    return model.eval(), ckpt["epoch"]


def main():
    torch.manual_seed(0)
    x = torch.randn(96, 16)
    y = (x[:, :3]).argmax(1)
    train = DataLoader(TensorDataset(x[:64], y[:64]), batch_size=16, shuffle=True)
    valid = DataLoader(TensorDataset(x[64:], y[64:]), batch_size=16)
    with tempfile.TemporaryDirectory() as tmp:
        exp = Experiment(tmp)
        exp.run(train, valid)
        cpu_model, epoch = load_for_cpu(exp.exporter.path)
        print("best epoch", epoch, "logits", cpu_model(torch.zeros(1, 16)).tolist())
    print(exp.timer.report())


if __name__ == "__main__":
    main()
