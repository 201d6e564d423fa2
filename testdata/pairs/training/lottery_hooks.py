"""Iterative magnitude pruning with rewinding (lottery tickets)."""
import argparse
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def lenet_300_100(din=20, classes=4):
    return nn.Sequential(nn.Linear(din, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, classes))


def prunable(model):
    return {n: p for n, p in model.named_parameters() if p.dim() > 1}


class Pruner:
    def __init__(self, model, fraction):
        self.model = model
        self.fraction = fraction
        self.masks = {n: torch.ones_like(p) for n, p in prunable(model).items()}
        self.handles = []

    def attach(self):
        self.detach()
        for n, p in prunable(self.model).items():
            self.handles.append(p.register_hook(lambda grad, n=n: grad * self.masks[n]))

    def detach(self):
        while self.handles:
            self.handles.pop().remove()

    def prune(self):
        for n, p in prunable(self.model).items():
            weight = p.detach().cpu().numpy()
            mask = self.masks[n].cpu().numpy()
            alive = np.abs(weight[mask > 0])
            threshold = np.percentile(alive, 100 * self.fraction)
            new_mask = np.where(np.abs(weight) < threshold, 0, mask)
            self.masks[n] = torch.from_numpy(new_mask).to(p.device)

    @torch.no_grad()
    def rewind(self, initial):
        for n, p in self.model.named_parameters():
            p.copy_(initial[n])
        for n, p in prunable(self.model).items():
            p[self.masks[n] == 0] = 0

    def sparsity(self):
        zeros = sum((m == 0).sum().item() for m in self.masks.values())
        return zeros / sum(m.numel() for m in self.masks.values())


def accuracy(model, x, y):
    with torch.no_grad():
        return (model(x).argmax(-1) == y).float().mean().item()


def train(model, x, y, steps, lr, batch=32):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    model.train()
    for _ in range(steps):
        pick = torch.randint(len(x), (batch,), device=x.device)
        loss = F.cross_entropy(model(x[pick]), y[pick])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--gpu", type=int, default=0, help="-1 for cpu")
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--steps", type=int, default=10)
    ap.add_argument("--fraction", type=float, default=0.2)
    ap.add_argument("--lr", type=float, default=0.05)
    args = ap.parse_args()
    device = torch.device("cuda:%d" % args.gpu if args.gpu >= 0 and torch.cuda.is_available() else "cpu")

    torch.manual_seed(0)
    teacher = torch.randn(20, 4)
    x = torch.randn(200, 20)
    y = (x @ teacher).argmax(-1)
    x, y = x.to(device), y.to(device)

    model = lenet_300_100().to(device)
    initial = copy.deepcopy(model.state_dict())
    pruner = Pruner(model, args.fraction)
    for r in range(args.rounds):
        pruner.attach()
        loss = train(model, x, y, args.steps, args.lr)
        print("round %d sparsity %.2f loss %.3f acc %.3f" % (r, pruner.sparsity(), loss, accuracy(model, x, y)))
        pruner.prune()
        pruner.rewind(initial)


if __name__ == "__main__":
    main()
