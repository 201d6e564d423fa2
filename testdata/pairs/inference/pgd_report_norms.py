"""Robust accuracy under L-inf PGD with restarts."""
import json
from dataclasses import asdict, dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class AttackConfig:
    eps: float = 8 / 255
    step: float = 2 / 255
    iters: int = 4
    restarts: int = 2
    random_start: bool = True


class Normalize(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))

    def forward(self, x):
        return (x - self.mean) / self.std


def build_model(classes=4):
    return nn.Sequential(
        Normalize([0.49, 0.48, 0.45], [0.2, 0.2, 0.2]),
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, classes),
    )


class PGD:
    def __init__(self, model, cfg):
        self.model = model
        self.cfg = cfg

    def _one_run(self, x, y):
        cfg = self.cfg
        x_adv = x.clone()
        if cfg.random_start:
            x_adv = (x_adv + torch.empty_like(x).uniform_(-cfg.eps, cfg.eps)).clamp(0, 1)
        for _ in range(cfg.iters):
            x_adv.requires_grad_(True)
            loss = F.cross_entropy(self.model(x_adv), y)
            grad, = torch.autograd.grad(loss, x_adv)
            x_adv = x_adv.detach() + cfg.step * grad.sign()
            x_adv = torch.min(torch.max(x_adv, x - cfg.eps), x + cfg.eps).clamp(0, 1)
        return x_adv.detach()

    def perturb(self, x, y):
        best = x.clone()
        worst_loss = torch.full((x.size(0),), -float("inf"), device=x.device)
        for _ in range(self.cfg.restarts):
            cand = self._one_run(x, y)
            with torch.no_grad():
                loss = F.cross_entropy(self.model(cand), y, reduction="none")
            better = loss > worst_loss
            best[better] = cand[better]
            worst_loss = torch.where(better, loss, worst_loss)
        return best


class RobustnessLog:
    def __init__(self):
        self.clean, self.robust, self.total = 0, 0, 0
        self.linf, self.l2 = [], []

    def add(self, model, x, x_adv, y):
        with torch.no_grad():
            self.robust += (model(x_adv).argmax(1) == y).sum().item()
        delta = (x_adv - x).flatten(1)
        self.linf.append(delta.abs().amax(1).cpu())
        self.l2.append(delta.norm(dim=1).cpu())
        self.total += y.numel()

    def summary(self):
        linf, l2 = torch.cat(self.linf), torch.cat(self.l2)
        return {
            "clean_acc": self.clean / self.total,
            "robust_acc": self.robust / self.total,
            "linf_max": round(linf.max().item(), 5),
            "l2_mean": round(l2.mean().item(), 5),
        }


def evaluate(model, loader, cfg, device):
    model.eval()
    for p in model.parameters():
        p.requires_grad_(False)
    attack = PGD(model, cfg)
    log = RobustnessLog()
    for x, y in loader:
        inputs = x.to(device)
        y = y.to(device)
        with torch.no_grad():
            log.clean += (model(inputs).argmax(1) == y).sum().item()
        x_adv = attack.perturb(inputs, y)
        log.add(model, inputs, x_adv, y)
    return log.summary()


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = build_model().to(device)
    data = TensorDataset(torch.rand(12, 3, 16, 16), torch.randint(0, 4, (12,)))
    config = AttackConfig()
    report = evaluate(net, DataLoader(data, batch_size=6), config, device)
    print(json.dumps({"config": asdict(config), **report}, indent=1))
