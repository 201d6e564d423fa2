"""Greedy model soup over a folder of fine-tuned checkpoints."""
import os
import tempfile
from pathlib import Path
from typing import Dict, List

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

State = Dict[str, torch.Tensor]


def make_net() -> nn.Module:
    return nn.Sequential(
        nn.Linear(12, 24), nn.BatchNorm1d(24), nn.ReLU(inplace=True), nn.Linear(24, 3))


def read_checkpoint(path: Path, device: torch.device) -> State:
    ckpt = torch.load(path, map_location=device)
    return ckpt["model"] if "model" in ckpt else ckpt


class Soup:
    """Running uniform average of state dicts."""

    def __init__(self, first: State):
        self.avg = {k: v.clone() for k, v in first.items()}
        self.n = 1

    def mixed_with(self, other: State) -> State:
        out = {}
        for k, v in self.avg.items():
            if not v.is_floating_point():
                out[k] = v
            else:
                out[k] = v + (other[k] - v) / (self.n + 1)
        return out

    def accept(self, avg: State) -> None:
        self.avg = avg
        self.n += 1


class Evaluator:
    def __init__(self, net: nn.Module, loader: DataLoader, device: torch.device):
        self.net = net.to(device)
        self.loader = loader
        self.device = device

    def load(self, path: Path) -> "Evaluator":
        self.net.load_state_dict(read_checkpoint(path, self.device))
        return self

    def state(self) -> State:
        return {k: v.detach().clone() for k, v in self.net.state_dict().items()}

    @torch.no_grad()
    def accuracy(self) -> float:
        self.net.eval()
        right = total = 0
        for x, y in self.loader:
            pred = self.net(x.to(self.device)).argmax(-1).cpu()
            right += int((pred == y).sum())
            total += len(y)
        return right / total

    def accuracy_of(self, state: State) -> float:
        self.net.load_state_dict(state)
        return self.accuracy()


def greedy_soup(paths: List[Path], evaluator: Evaluator) -> Soup:
    ranked = sorted(paths, key=lambda p: evaluator.load(p).accuracy(), reverse=True)
    best = evaluator.load(ranked[0]).accuracy()
    soup = Soup(evaluator.state())
    for path in ranked[1:]:
        candidate = soup.mixed_with(read_checkpoint(path, evaluator.device))
        acc = evaluator.accuracy_of(candidate)
        verdict = "keep" if acc >= best else "skip"
        print(f"  {path.name}: {acc:.3f} ({verdict})")
        if acc >= best:
            soup.accept(candidate)
            best = acc
    return soup


def write_finetuned(folder: str, count: int) -> List[Path]:
    torch.manual_seed(0)
    base = make_net().state_dict()
    paths = []
    for i in range(count):
        noisy = {k: v + 0.1 * torch.randn_like(v) if v.is_floating_point() and "var" not in k else v
                 for k, v in base.items()}
        path = Path(folder) / f"run_{i}.pt"
        torch.save({"model": noisy, "lr": 10 ** -(i + 1)}, path)
        paths.append(path)
    return paths


def main():
    device = torch.device(os.environ.get("DEVICE", "cuda" if torch.cuda.is_available() else "cpu"))
    with tempfile.TemporaryDirectory() as tmp:
        paths = write_finetuned(tmp, 4)
        x = torch.randn(60, 12)
        loader = DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=20)
        evaluator = Evaluator(make_net(), loader, device)
        soup = greedy_soup(paths, evaluator)
        final = evaluator.accuracy_of(soup.avg)
        target = Path(tmp) / "soup.pt"
        torch.save({k: v.cpu() for k, v in soup.avg.items()}, target)
        print(f"soup of {soup.n}: {final:.3f}, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
