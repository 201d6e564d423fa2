"""Long-tailed classification with a class-balanced focal loss."""
import math
from collections import Counter

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
NUM_CLASSES = 6


class LongTailBlobs(Dataset):
    def __init__(self, n=240, dim=16, imbalance=0.5, seed=0):
        g = torch.Generator().manual_seed(seed)
        probs = torch.tensor([imbalance ** k for k in range(NUM_CLASSES)])
        self.y = torch.multinomial(probs, n, replacement=True, generator=g)
        centers = torch.randn(NUM_CLASSES, dim, generator=g)
        self.x = centers[self.y] + 0.3 * torch.randn(n, dim, generator=g)

    def counts(self):
        c = Counter(self.y.tolist())
        return [max(c.get(k, 0), 1) for k in range(NUM_CLASSES)]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def effective_number_weights(counts, beta=0.999):
    n = torch.tensor(counts, dtype=torch.float32)
    w = (1.0 - beta) / (1.0 - torch.pow(torch.tensor(beta), n))
    return w / w.sum() * len(counts)


class FocalLoss(nn.Module):
    """FL(p_t) = -alpha_t (1 - p_t)^gamma log(p_t)"""

    def __init__(self, alpha=None, gamma=2.0, reduction="mean"):
        super().__init__()
        self.gamma = gamma
        self.reduction = reduction
        self.register_buffer("alpha", alpha)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, logits, target):
        logp = F.log_softmax(logits, dim=-1)
        logpt = logp.gather(1, target.unsqueeze(1)).squeeze(1)
        pt = logpt.exp()
        loss = -((1.0 - pt) ** self.gamma) * logpt
        if self.alpha is not None:
            loss = self.alpha[target] * loss
        if self.training:
            self.steps += 1
        if self.reduction == "mean":
            return loss.mean()
        return loss.sum() if self.reduction == "sum" else loss


class MLP(nn.Module):
    def __init__(self, din, dout, width=32, prior=0.05):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(din, width), nn.BatchNorm1d(width), nn.ReLU(inplace=True))
        self.out = nn.Linear(width, dout)
        nn.init.constant_(self.out.bias, -math.log((1 - prior) / prior))

    def forward(self, x):
        return self.out(self.body(x))


@torch.no_grad()
def per_class_accuracy(model, loader):
    model.eval()
    hit = torch.zeros(NUM_CLASSES)
    tot = torch.zeros(NUM_CLASSES)
    for x, y in loader:
        pred = model(x.to(DEVICE)).argmax(1).cpu()
        tot += torch.bincount(y, minlength=NUM_CLASSES)
        hit += torch.bincount(y[pred == y], minlength=NUM_CLASSES)
    return (hit / tot.clamp(min=1)).numpy()


def main():
    torch.manual_seed(0)
    train = LongTailBlobs()
    loader = DataLoader(train, batch_size=48, shuffle=True, drop_last=True)
    model = MLP(16, NUM_CLASSES).to(DEVICE)
    criterion = FocalLoss(effective_number_weights(train.counts()), gamma=1.5).to(DEVICE)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    for epoch in range(2):
        model.train()
        running = 0.0
        for x, y in loader:
            x, y = x.to(DEVICE), y.to(DEVICE)
            loss = criterion(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            running += loss.item()
        print(f"epoch {epoch} loss {running / len(loader):.4f}", per_class_accuracy(model, loader).round(2))


if __name__ == "__main__":
    main()
