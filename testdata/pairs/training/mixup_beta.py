"""Small image classifier trained with per-sample mixup or cutmix."""
import argparse
import math

import torch
from torch import nn
from torch.distributions import Beta
from torch.optim.lr_scheduler import LambdaLR


def rand_bbox(height, width, lam):
    cut = math.sqrt(1.0 - lam)
    ch, cw = int(height * cut), int(width * cut)
    cy = torch.randint(height, ()).item()
    cx = torch.randint(width, ()).item()
    y0, y1 = max(cy - ch // 2, 0), min(cy + ch // 2, height)
    x0, x1 = max(cx - cw // 2, 0), min(cx + cw // 2, width)
    return y0, y1, x0, x1


class MixCollection(nn.Module):
    def __init__(self, num_classes, mixup_alpha=0.8, cutmix_alpha=1.0, switch_prob=0.5, smoothing=0.1):
        super().__init__()
        self.num_classes = num_classes
        self.mixup = Beta(mixup_alpha, mixup_alpha)
        self.cutmix = Beta(cutmix_alpha, cutmix_alpha)
        self.switch_prob = switch_prob
        self.smoothing = smoothing

    def one_hot(self, target):
        off = self.smoothing / self.num_classes
        on = 1.0 - self.smoothing + off
        out = torch.full((target.size(0), self.num_classes), off, device=target.device)
        return out.scatter_(1, target.unsqueeze(1), on)

    def forward(self, x, target):
        perm = torch.randperm(x.size(0))
        y = self.one_hot(target)
        if torch.rand(()) < self.switch_prob:
            lam = self.cutmix.sample().item()
            y0, y1, x0, x1 = rand_bbox(x.size(2), x.size(3), lam)
            x = x.clone()
            x[:, :, y0:y1, x0:x1] = x[perm, :, y0:y1, x0:x1]
            lam = 1.0 - (y1 - y0) * (x1 - x0) / (x.size(2) * x.size(3))
            return x, lam * y + (1 - lam) * y[perm]
        lam = self.mixup.sample((x.size(0), 1)).to(x.device)
        lam_img = lam.view(-1, 1, 1, 1)
        x = lam_img * x + (1 - lam_img) * x[perm]
        return x, lam * y + (1 - lam) * y[perm]


class SoftTargetCrossEntropy(nn.Module):
    def forward(self, logits, target):
        return torch.sum(-target * logits.log_softmax(dim=-1), dim=-1).mean()


def warmup_cosine(optimizer, warmup, total):
    def fn(step):
        if step < warmup:
            return (step + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))
    return LambdaLR(optimizer, fn)


def main(args):
    torch.manual_seed(args.seed)
    device = torch.device(args.device)
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.SiLU(),
        nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.SiLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, args.num_classes),
    ).to(device)
    mix = MixCollection(args.num_classes)
    criterion = SoftTargetCrossEntropy()
    optimizer = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    scheduler = warmup_cosine(optimizer, 2, args.steps)
    images = torch.rand(64, 3, 16, 16)
    labels = torch.randint(args.num_classes, (64,))
    for step in range(args.steps):
        ix = torch.randint(64, (16,))
        x, y = images[ix].to(device), labels[ix].to(device)
        x, y = mix(x, y)
        loss = criterion(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        print(f"step {step} lr {scheduler.get_last_lr()[0]:.4f} loss {loss.item():.4f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--num-classes", type=int, default=7)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--steps", type=int, default=8)
    ap.add_argument("--seed", type=int, default=0)
    main(ap.parse_args())
