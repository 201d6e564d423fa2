import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
NUM_CLASSES = 3
LABELS = ("background", "circle", "square")


class ShapesSegmentation(Dataset):
    def __init__(self, n, size=16, transform=None, seed=0):
        self.n, self.size, self.transform = n, size, transform
        self.seed = seed

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        rng = np.random.default_rng(self.seed + index)
        mask = np.zeros((self.size, self.size), dtype=np.int64)
        yy, xx = np.mgrid[:self.size, :self.size]
        cy, cx = rng.integers(4, self.size - 4, 2)
        if index % 2:
            mask[(yy - cy) ** 2 + (xx - cx) ** 2 <= 9] = 1
        else:
            mask[abs(yy - cy) + 0 * xx <= 2] = 2
            mask[:, abs(np.arange(self.size) - cx) > 2] = 0
        image = mask[None] * 0.7 + rng.normal(0, 0.2, size=(1, self.size, self.size))
        image = torch.from_numpy(image).float()
        mask = torch.from_numpy(mask)
        if self.transform:
            image, mask = self.transform(image, mask)
        return image, mask


def random_flip(image, mask):
    if torch.rand(1) < 0.5:
        image, mask = image.flip(-1), mask.flip(-1)
    return image, mask


def double_conv(c_in, c_out):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(inplace=True),
        nn.Conv2d(c_out, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, in_channels=1, out_channels=NUM_CLASSES, features=(6, 12)):
        super().__init__()
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        self.pool = nn.MaxPool2d(2, 2)
        for f in features:
            self.downs.append(double_conv(in_channels, f))
            in_channels = f
        self.bottleneck = double_conv(features[-1], features[-1] * 2)
        for f in reversed(features):
            self.ups.append(nn.ConvTranspose2d(f * 2, f, 2, stride=2))
            self.ups.append(double_conv(f * 2, f))
        self.final = nn.Conv2d(features[0], out_channels, 1)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottleneck(x)
        for i in range(0, len(self.ups), 2):
            x = self.ups[i](x)
            x = self.ups[i + 1](torch.cat((skips.pop(), x), dim=1))
        return self.final(x)


def to_one_hot(mask, num_classes):
    """(B, H, W) class indices -> (B, C, H, W)"""
    return torch.eye(num_classes, device=mask.device)[mask].permute(0, 3, 1, 2)


class DiceCELoss(nn.Module):
    def __init__(self, alpha=0.5, smooth=1.0):
        super().__init__()
        self.alpha = alpha
        self.smooth = smooth
        self.ce = nn.CrossEntropyLoss()

    def forward(self, logits, target):
        probs = logits.softmax(dim=1)
        one_hot = to_one_hot(target, logits.size(1))
        inter = (probs * one_hot).sum(dim=(0, 2, 3))
        union = (probs + one_hot).sum(dim=(0, 2, 3))
        dice = 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()
        return self.alpha * self.ce(logits, target) + (1 - self.alpha) * dice


def check_accuracy(loader, model):
    inter, union = torch.zeros(NUM_CLASSES), torch.zeros(NUM_CLASSES)
    correct = pixels = 0
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            preds = model(x.to(DEVICE)).argmax(1).cpu()
            correct += (preds == y).sum()
            pixels += torch.numel(preds)
            p, t = F.one_hot(preds, NUM_CLASSES).bool(), to_one_hot(y, NUM_CLASSES).permute(0, 2, 3, 1).bool()
            inter += (p & t).sum(dim=(0, 1, 2))
            union += (p | t).sum(dim=(0, 1, 2))
    model.train()
    iou = inter / union.clamp(min=1)
    print(f"acc {correct / pixels * 100:.1f}% " + " ".join(f"{n}={v:.2f}" for n, v in zip(LABELS, iou)))


def main():
    torch.manual_seed(0)
    train_loader = DataLoader(ShapesSegmentation(32, transform=random_flip), batch_size=8, shuffle=True)
    val_loader = DataLoader(ShapesSegmentation(16, seed=1000), batch_size=8)
    model = UNet().to(DEVICE)
    check_accuracy(val_loader, model)
    loss_fn = DiceCELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        running = []
        for data, targets in train_loader:
            data, targets = data.to(DEVICE), targets.to(DEVICE)
            loss = loss_fn(model(data), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running.append(loss.item())
        print(f"epoch {epoch} loss {np.mean(running):.3f}")
        check_accuracy(val_loader, model)


if __name__ == "__main__":
    main()
