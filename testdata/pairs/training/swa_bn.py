import argparse
import logging

import torch
import torch.nn as nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
logger = logging.getLogger("swa")


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class ResidualBlock(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.a = conv_bn(ch, ch)
        self.b = nn.Sequential(nn.Conv2d(ch, ch, 3, 1, 1, bias=False), nn.BatchNorm2d(ch))

    def forward(self, x):
        return torch.relu(x + self.b(self.a(x)))


class Net(nn.Module):
    def __init__(self, num_classes=4):
        super().__init__()
        self.stem = conv_bn(1, 8, 2)
        self.res = ResidualBlock(8)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(8, num_classes)

    def forward(self, x):
        return self.fc(self.pool(self.res(self.stem(x))).flatten(1))


def get_loaders(batch_size):
    x = torch.randn(96, 1, 12, 12)
    y = (x.mean(dim=(1, 2, 3)) * 20).long().clamp(-2, 1) + 2
    train = TensorDataset(x[:64], y[:64])
    test = TensorDataset(x[64:], y[64:])
    return DataLoader(train, batch_size, shuffle=True), DataLoader(test, batch_size)


def train_epoch(model, loader, criterion, optimizer, device):
    model.train()
    seen, loss_sum = 0, 0.0
    for inputs, targets in loader:
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
        seen += targets.numel()
        loss_sum += loss.item() * targets.numel()
    return loss_sum / seen


@torch.inference_mode()
def evaluate(model, loader, device):
    model.eval()
    correct = torch.zeros((), dtype=torch.long, device=device)
    for inputs, targets in loader:
        correct += (model(inputs.to(device)).argmax(1) == targets.to(device)).sum()
    return correct.item() / len(loader.dataset)


def main(args):
    torch.manual_seed(args.seed)
    device = torch.device(f"cuda:{args.local_rank}" if torch.cuda.is_available() else "cpu")
    train_loader, test_loader = get_loaders(args.batch_size)
    model = Net().to(device)
    swa_model = AveragedModel(model)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.swa_start)
    swa_scheduler = SWALR(optimizer, swa_lr=args.swa_lr, anneal_epochs=2)

    for epoch in range(args.epochs):
        loss = train_epoch(model, train_loader, criterion, optimizer, device)
        if epoch >= args.swa_start:
            swa_model.update_parameters(model)
            swa_scheduler.step()
        else:
            cosine.step()
        logger.info("epoch %d loss %.4f acc %.3f", epoch, loss, evaluate(model, test_loader, device))

    update_bn(train_loader, swa_model, device=device)
    logger.info("SWA acc %.3f over %d snapshots", evaluate(swa_model, test_loader, device), swa_model.n_averaged.item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--swa-start", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--swa-lr", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=5)
    main(parser.parse_args())
