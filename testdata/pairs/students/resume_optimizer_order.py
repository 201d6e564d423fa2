"""Spiral classification with checkpoints: train a few epochs, stop, resume from the last checkpoint."""
import argparse
import math
import os
import shutil
import tempfile

import torch
import torch.nn as nn


def spirals(n_per_class, n_classes=3, noise=0.2, seed=0):
    g = torch.Generator().manual_seed(seed)
    X, y = [], []
    for c in range(n_classes):
        r = torch.linspace(0.05, 1, n_per_class)
        theta = torch.linspace(c * 2 * math.pi / n_classes, (c + 2) * 2 * math.pi / n_classes, n_per_class)
        theta = theta + noise * torch.randn(n_per_class, generator=g)
        X.append(torch.stack([r * theta.sin(), r * theta.cos()], dim=1))
        y.append(torch.full((n_per_class,), c))
    return torch.cat(X), torch.cat(y)


class SpiralNet(nn.Module):
    def __init__(self, hidden, n_classes=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.head = nn.Linear(hidden, n_classes)

    def forward(self, x):
        return self.head(self.body(x))


def save_checkpoint(state, is_best, folder):
    filename = os.path.join(folder, 'checkpoint.pth.tar')
    torch.save(state, filename)
    if is_best:
        shutil.copyfile(filename, os.path.join(folder, 'model_best.pth.tar'))


def build(args):
    model = SpiralNet(args.hidden).to(args.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    start_epoch, best_acc = 0, 0.0
    if args.resume:
        checkpoint = torch.load(args.resume, map_location='cpu')
        start_epoch = checkpoint['epoch']
        best_acc = checkpoint['best_acc']
        model.load_state_dict(checkpoint['state_dict'])
        optimizer.load_state_dict(checkpoint['optimizer'])
        print("=> loaded checkpoint '{}' (epoch {})".format(os.path.basename(args.resume), start_epoch))
    return model, optimizer, start_epoch, best_acc


def accuracy(output, target):
    with torch.no_grad():
        return output.argmax(1).eq(target).float().mean().mul(100.0).item()


def worker(args, X, y):
    torch.manual_seed(args.seed)
    model, optimizer, start_epoch, best_acc = build(args)
    criterion = nn.CrossEntropyLoss()
    perm = torch.randperm(len(X), generator=torch.Generator().manual_seed(0))
    cut = int(0.8 * len(X))
    X, y = X[perm], y[perm]
    X_val, y_val = X[cut:].to(args.device), y[cut:].to(args.device)

    for epoch in range(start_epoch, args.epochs):
        model.train()
        total = 0.0
        for xb, yb in zip(X[:cut].split(args.batch_size), y[:cut].split(args.batch_size)):
            xb = xb.to(args.device, non_blocking=True)
            yb = yb.to(args.device, non_blocking=True)
            loss = criterion(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(xb)
        model.eval()
        acc = accuracy(model(X_val), y_val)
        is_best = acc > best_acc
        best_acc = max(acc, best_acc)
        print("epoch {} loss {:.4f} val acc {:.1f}".format(epoch, total / cut, acc))
        save_checkpoint({
            'epoch': epoch + 1,
            'state_dict': model.state_dict(),
            'best_acc': best_acc,
            'optimizer': optimizer.state_dict(),
        }, is_best, args.folder)
    return best_acc


def main():
    parser = argparse.ArgumentParser(description='PyTorch spirals')
    parser.add_argument('--epochs', default=2, type=int)
    parser.add_argument('--hidden', default=16, type=int)
    parser.add_argument('--batch-size', default=32, type=int)
    parser.add_argument('--lr', default=1e-2, type=float)
    parser.add_argument('--seed', default=0, type=int)
    parser.add_argument('--resume', default='', type=str, metavar='PATH')
    parser.add_argument('--device', default='cuda' if torch.cuda.is_available() else 'cpu')
    args = parser.parse_args([])

    X, y = spirals(60)
    args.folder = tempfile.mkdtemp()
    try:
        worker(args, X, y)
        args.resume = os.path.join(args.folder, 'checkpoint.pth.tar')
        args.epochs += 2
        print('best', worker(args, X, y))
    finally:
        shutil.rmtree(args.folder)


if __name__ == '__main__':
    main()
