"""Instance discrimination with a memory bank; the second half of training resumes from a checkpoint."""

import argparse
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset

from bank import MemoryBank
from checkpoint import load_checkpoint, save_checkpoint
from nets import Encoder, NCELoss


class Instances(Dataset):
    """Returns a randomly augmented signal and its index."""

    def __init__(self, n):
        self.data = torch.randn(n, 1, 24).cumsum(-1)

    def __len__(self):
        return self.data.size(0)

    def __getitem__(self, i):
        x = self.data[i]
        x = torch.roll(x, int(torch.randint(0, 4, (1,))), dims=-1)
        return (x - x.mean()) / x.std() + 0.1 * torch.randn_like(x), i


def instance_loader(n, batch_size):
    return DataLoader(Instances(n), batch_size=batch_size, shuffle=True)


ap = argparse.ArgumentParser()
ap.add_argument('--dim', type=int, default=16)
ap.add_argument('--n', type=int, default=64)
ap.add_argument('--tau', type=float, default=0.1)
ap.add_argument('--momentum', type=float, default=0.5)
ap.add_argument('--negatives', type=int, default=20)
ap.add_argument('--no-cuda', action='store_true')


def build(args, device):
    net = Encoder(args.dim).to(device)
    bank = MemoryBank(args.n, args.dim, args.momentum, device=device)
    criterion = NCELoss(bank, args.negatives, args.tau)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)
    return net, bank, criterion, optimizer


def train_epoch(loader, net, bank, criterion, optimizer, device):
    net.train()
    running = 0.0
    for x, index in loader:
        x, index = x.to(device), index.to(device)
        feat = net(x)
        loss = criterion(feat, index)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bank.update(index, feat.detach())
        running += loss.item() * len(x)
    return running / len(loader.dataset)


def main():
    args = ap.parse_args()
    device = torch.device('cuda' if torch.cuda.is_available() and not args.no_cuda else 'cpu')
    loader = instance_loader(args.n, batch_size=16)

    net, bank, criterion, optimizer = build(args, device)
    print('warmup  %.4f' % train_epoch(loader, net, bank, criterion, optimizer, device))

    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, 'last.pth')
        save_checkpoint(path, epoch=1, net=net, bank=bank, optimizer=optimizer)
        net, bank, criterion, optimizer = build(args, device)
        start = load_checkpoint(path, net=net, bank=bank, optimizer=optimizer)

    for epoch in range(start, start + 2):
        print('epoch %d %.4f' % (epoch, train_epoch(loader, net, bank, criterion, optimizer, device)))


if __name__ == '__main__':
    main()
