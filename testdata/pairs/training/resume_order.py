import argparse
import os
import shutil
import tempfile
import time

import torch
import torch.nn as nn
import torch.optim as optim

parser = argparse.ArgumentParser(description="Training with resume")
parser.add_argument("--epochs", default=2, type=int)
parser.add_argument("--start-epoch", default=0, type=int)
parser.add_argument("-b", "--batch-size", default=16, type=int)
parser.add_argument("--lr", default=0.05, type=float)
parser.add_argument("--momentum", default=0.9, type=float)
parser.add_argument("--resume", default="", type=str)
parser.add_argument("--gpu", default=0, type=int)

best_acc1 = 0


class AverageMeter(object):
    """Computes and stores the average and current value"""

    def __init__(self, name, fmt=":f"):
        self.name, self.fmt = name, fmt
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        return ("{name} {val" + self.fmt + "} ({avg" + self.fmt + "})").format(**self.__dict__)


def make_model():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
                         nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 4))


def accuracy(output, target):
    with torch.no_grad():
        pred = output.argmax(1)
        return pred.eq(target).float().mean() * 100.0


def save_checkpoint(state, is_best, folder):
    filename = os.path.join(folder, "checkpoint.pth.tar")
    torch.save(state, filename)
    if is_best:
        shutil.copyfile(filename, os.path.join(folder, "model_best.pth.tar"))
    return filename


def train(batches, model, criterion, optimizer, epoch, args):
    losses, top1 = AverageMeter("Loss", ":.4f"), AverageMeter("Acc@1", ":6.2f")
    end = time.time()
    model.train()
    for images, target in batches:
        images = images.cuda(args.gpu, non_blocking=True)
        target = target.cuda(args.gpu, non_blocking=True)
        output = model(images)
        loss = criterion(output, target)
        losses.update(loss.item(), images.size(0))
        top1.update(accuracy(output, target), images.size(0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("Epoch: [%d] %s %s time %.2f" % (epoch, losses, top1, time.time() - end))
    return top1.avg


def run(args, folder):
    global best_acc1
    model = make_model().cuda(args.gpu)
    criterion = nn.CrossEntropyLoss().cuda(args.gpu)
    optimizer = optim.SGD(model.parameters(), args.lr, momentum=args.momentum, weight_decay=1e-4)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)

    if args.resume:
        if os.path.isfile(args.resume):
            checkpoint = torch.load(args.resume, map_location="cuda:{}".format(args.gpu))
            args.start_epoch = checkpoint["epoch"]
            best_acc1 = checkpoint["best_acc1"]
            model.load_state_dict(checkpoint["state_dict"])
            optimizer.load_state_dict(checkpoint["optimizer"])
            scheduler.load_state_dict(checkpoint["scheduler"])
            print("=> loaded checkpoint (epoch {})".format(checkpoint["epoch"]))
        else:
            print("=> no checkpoint found at '{}'".format(args.resume))

    batches = [(torch.randn(args.batch_size, 3, 8, 8), torch.randint(0, 4, (args.batch_size,))) for _ in range(3)]
    path = ""
    for epoch in range(args.start_epoch, args.epochs):
        acc1 = train(batches, model, criterion, optimizer, epoch, args)
        scheduler.step()
        is_best = acc1 > best_acc1
        best_acc1 = max(acc1, best_acc1)
        path = save_checkpoint({"epoch": epoch + 1, "state_dict": model.state_dict(), "best_acc1": float(best_acc1),
                                "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}, is_best, folder)
    return path


def main():
    args = parser.parse_args()
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        last = run(args, folder)
        args.resume, args.epochs = last, args.epochs + 1
        run(args, folder)


if __name__ == "__main__":
    main()
