import argparse
import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def get_args():
    p = argparse.ArgumentParser("mean teacher")
    p.add_argument("--device", default="cuda")
    p.add_argument("--ema-decay", type=float, default=0.99)
    p.add_argument("--consistency", type=float, default=10.0)
    p.add_argument("--rampup", type=int, default=6)
    p.add_argument("--steps", type=int, default=8)
    p.add_argument("--lr", type=float, default=3e-3)
    return p.parse_args()


def sigmoid_rampup(current, rampup_length):
    if rampup_length == 0:
        return 1.0
    current = np.clip(current, 0.0, rampup_length)
    phase = 1.0 - current / rampup_length
    return float(np.exp(-5.0 * phase * phase))


class ConvNet(nn.Module):
    def __init__(self, ncls=5):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.fc = nn.Linear(16, ncls)

    def forward(self, x):
        x = F.leaky_relu(self.bn1(self.conv1(x)), 0.1)
        x = F.leaky_relu(self.conv2(x), 0.1).mean(dim=(2, 3))
        return self.fc(x)


class SemiSupData:
    """Labels are -1 for the unlabelled part of the batch."""

    def __init__(self, n=128, labelled=0.25):
        self.x = torch.rand(n, 3, 8, 8)
        self.y = torch.randint(0, 5, (n,))
        drop = torch.rand(n) > labelled
        self.y[drop] = -1

    def sample(self, bs):
        ix = torch.randint(0, len(self.x), (bs,))
        return self.x[ix], self.y[ix]


def make_teacher(student):
    teacher = copy.deepcopy(student)
    for p in teacher.parameters():
        p.detach_()
        p.requires_grad_(False)
    return teacher


@torch.no_grad()
def ema_update(student, teacher, decay, step):
    decay = min(decay, 1 - 1 / (step + 1))
    for pt, ps in zip(teacher.parameters(), student.parameters()):
        pt.mul_(decay).add_(ps, alpha=1 - decay)
    for bt, bs in zip(teacher.buffers(), student.buffers()):
        bt.copy_(bs)


def jitter(x, sigma=0.1):
    return (x + sigma * torch.randn_like(x)).clamp_(0, 1)


def build(args):
    student = ConvNet()
    n_params = sum(p.numel() for p in student.parameters())
    student = student.to(args.device)
    teacher = make_teacher(student)
    print("parameters: %.1fk" % (n_params / 1e3))
    return student, teacher


def train(args):
    torch.manual_seed(7)
    data = SemiSupData()
    student, teacher = build(args)
    student.train(), teacher.train()
    decay, no_decay = [], []
    for name, p in student.named_parameters():
        (no_decay if p.ndim == 1 else decay).append(p)
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 1e-2},
                                   {"params": no_decay, "weight_decay": 0.0}], lr=args.lr)
    ce = nn.CrossEntropyLoss(ignore_index=-1, reduction="sum")
    for step in range(args.steps):
        x, y = data.sample(32)
        x, y = x.to(args.device), y.to(args.device)
        out_s = student(jitter(x))
        with torch.no_grad():
            out_t = teacher(jitter(x))
        n_lab = (y != -1).sum().clamp(min=1)
        sup = ce(out_s, y) / n_lab
        w = args.consistency * sigmoid_rampup(step, args.rampup)
        cons = F.mse_loss(out_s.softmax(1), out_t.softmax(1))
        loss = sup + w * cons
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema_update(student, teacher, args.ema_decay, step)
        print("step %d sup %.3f cons %.5f w %.2f" % (step, sup.item(), cons.item(), w))


if __name__ == "__main__":
    args = get_args()
    if not torch.cuda.is_available():
        args.device = "cpu"
    train(args)
