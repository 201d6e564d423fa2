"""A one-scale anchor-free detector, with the training engine it is usually wrapped in."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Shapes(Dataset):
    def __init__(self, n=24, size=32, max_boxes=3):
        self.n, self.size, self.max_boxes = n, size, max_boxes

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        k = int(torch.randint(1, self.max_boxes + 1, (), generator=g))
        xy = torch.rand(k, 2, generator=g) * (self.size - 12)
        wh = torch.rand(k, 2, generator=g) * 8 + 4
        boxes = torch.cat([xy, xy + wh], dim=1)
        target = {
            "boxes": boxes,
            "labels": torch.randint(0, 3, (k,), generator=g),
            "image_id": torch.tensor([i]),
            "area": wh.prod(1),
        }
        return torch.rand(3, self.size, self.size, generator=g), target


def collate_fn(batch):
    images, targets = zip(*batch)
    return torch.stack(images), list(targets)


def to_device(obj, device):
    """Move a (possibly nested) batch."""
    if torch.is_tensor(obj):
        return obj.to(device, non_blocking=True)
    if isinstance(obj, dict):
        return {k: to_device(v, device) for k, v in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(to_device(o, device) for o in obj)
    return obj


class CenterHead(nn.Module):
    stride = 4

    def __init__(self, num_classes=3, ch=8):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, ch, 3, 2, 1), nn.ReLU(), nn.Conv2d(ch, ch, 3, 2, 1), nn.ReLU())
        self.cls = nn.Conv2d(ch, num_classes, 1)
        self.reg = nn.Conv2d(ch, 4, 1)
        nn.init.constant_(self.cls.bias, -2.0)

    def locations(self, h, w, device):
        ys, xs = torch.meshgrid(torch.arange(h, device=device), torch.arange(w, device=device), indexing="ij")
        return torch.stack([xs, ys], -1).reshape(-1, 2) * self.stride + self.stride // 2

    def assign(self, loc, target):
        boxes, labels = target["boxes"], target["labels"]
        lt = loc[:, None] - boxes[None, :, :2]
        rb = boxes[None, :, 2:] - loc[:, None]
        ltrb = torch.cat([lt, rb], dim=-1)
        area = target["area"][None].repeat(len(loc), 1)
        area[ltrb.min(-1).values <= 0] = float("inf")
        best, which = area.min(1)
        cls = torch.where(best.isinf(), -1, labels[which])
        return cls, ltrb[torch.arange(len(loc)), which]

    def forward(self, images, targets):
        f = self.body(images)
        cls, reg = self.cls(f), F.softplus(self.reg(f))
        loc = self.locations(*f.shape[-2:], f.device)
        cls = cls.flatten(2).transpose(1, 2)
        reg = reg.flatten(2).transpose(1, 2)
        losses = {"cls": cls.new_zeros(()), "reg": cls.new_zeros(())}
        for c, r, t in zip(cls, reg, targets):
            gt_cls, gt_reg = self.assign(loc, t)
            pos = gt_cls >= 0
            onehot = torch.zeros_like(c)
            onehot[pos, gt_cls[pos]] = 1.0
            losses["cls"] = losses["cls"] + F.binary_cross_entropy_with_logits(c, onehot)
            if pos.any():
                losses["reg"] = losses["reg"] + F.smooth_l1_loss(r[pos], gt_reg[pos] / self.stride)
        return {k: v / len(targets) for k, v in losses.items()}


class Runner:
    def __init__(self, model, loader, device=None):
        self.device = device or torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.loader = loader
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.02, momentum=0.9)

    def run(self, epochs):
        self.model.train()
        for epoch in range(epochs):
            for batch in self.loader:
                images, targets = to_device(batch, self.device)
                losses = self.model(images, targets)
                total = sum(losses.values())
                self.optimizer.zero_grad()
                total.backward()
                self.optimizer.step()
            print(epoch, {k: round(v.item(), 4) for k, v in losses.items()})


if __name__ == "__main__":
    torch.manual_seed(0)
    Runner(CenterHead(), DataLoader(Shapes(), batch_size=6, shuffle=True, collate_fn=collate_fn)).run(2)
