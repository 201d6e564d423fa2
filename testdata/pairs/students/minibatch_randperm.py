"""Learning curves for ridge-style regression with a tiny network: mini-batches by index permutation."""
import argparse
import math
import time

import numpy as np
import torch
import torch.nn as nn


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--no-cuda", action="store_true", default=False)
    p.add_argument("--batch-size", type=int, default=20)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--l2", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--fractions", type=float, nargs="+", default=[0.25, 1.0])
    args = p.parse_args([])
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    args.device = torch.device("cuda" if args.cuda else "cpu")
    return args


def make_friedman(n, noise=0.1, seed=0):
    rng = np.random.RandomState(seed)
    X = rng.rand(n, 5).astype(np.float32)
    y = (10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
         + 10 * X[:, 3] + 5 * X[:, 4] + noise * rng.randn(n))
    return X, y.astype(np.float32)


class Standardizer:
    def fit(self, a):
        self.mean, self.std = a.mean(0), a.std(0) + 1e-8
        return self

    def transform(self, a):
        return (a - self.mean) / self.std


class Net(nn.Module):
    def __init__(self, d, h=16):
        super().__init__()
        self.fc1 = nn.Linear(d, h)
        self.fc2 = nn.Linear(h, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x))).squeeze(-1)


class Split:
    """Keeps one part of the data in memory; the large arrays stay on the host, batches are uploaded."""

    def __init__(self, X, y, device):
        self.X = torch.from_numpy(X)
        self.y = torch.from_numpy(y)
        self.device = device

    def __len__(self):
        return self.X.shape[0]

    def take(self, rows):
        return self.X[rows].to(self.device), self.y[rows].to(self.device)

    def subset(self, fraction):
        k = max(1, math.ceil(fraction * len(self)))
        return Split(self.X[:k].numpy(), self.y[:k].numpy(), self.device)


def epoch_batches(n, batch_size):
    order = torch.randperm(n)
    for i in range(0, n, batch_size):
        yield order[i:i + batch_size]


def r2_score(pred, target):
    ss_res = ((target - pred) ** 2).sum()
    ss_tot = ((target - target.mean()) ** 2).sum()
    return (1 - ss_res / ss_tot).item()


def fit(split, args):
    net = Net(split.X.shape[1]).to(args.device)
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    for epoch in range(args.epochs):
        net.train()
        for rows in epoch_batches(len(split), args.batch_size):
            xb, yb = split.take(rows)
            loss = nn.functional.mse_loss(net(xb), yb)
            penalty = torch.zeros(())
            for name, w in net.named_parameters():
                if name.endswith("weight"):
                    penalty = penalty + w.pow(2).sum()
            opt.zero_grad()
            (loss + args.l2 * penalty).backward()
            opt.step()
        sched.step()
    return net


def main():
    args = parse()
    torch.manual_seed(args.seed)
    X, y = make_friedman(150)
    scaler_x, scaler_y = Standardizer().fit(X[:110]), Standardizer().fit(y[:110])
    Xs, ys = scaler_x.transform(X), scaler_y.transform(y)
    train, test = Split(Xs[:110], ys[:110], args.device), Split(Xs[110:], ys[110:], args.device)
    for f in args.fractions:
        tic = time.time()
        part = train.subset(f)
        net = fit(part, args).eval()
        xt, yt = test.take(torch.arange(len(test)))
        with torch.no_grad():
            score = r2_score(net(xt), yt)
        print(f"n={len(part):4d}  R2={score:.3f}  ({time.time() - tic:.2f}s)")


if __name__ == "__main__":
    main()
