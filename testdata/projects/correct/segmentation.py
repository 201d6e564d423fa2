"""A U-shaped network with a Dice loss, deep supervision and class colours."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class DiceLoss(nn.Module):
    def __init__(self, classes, weight=None):
        super().__init__()
        if weight is None:
            weight = torch.ones(classes)
        self.register_buffer("weight", weight)
        self.classes = classes

    def forward(self, logits, target):
        probabilities = logits.softmax(dim=1)
        one_hot = F.one_hot(target, self.classes).permute(0, 3, 1, 2).type_as(probabilities)
        inner = (probabilities * one_hot).sum(dim=(0, 2, 3))
        outer = (probabilities + one_hot).sum(dim=(0, 2, 3))
        dice = 1 - (2 * inner + 1) / (outer + 1)
        return (dice * self.weight).sum() / self.weight.sum()


class UNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)])
        self.up = nn.Conv2d(12, 4, 3, padding=1)
        self.outs = nn.ModuleList(nn.Conv2d(width, classes, 1) for width in (4, 8))

    def forward(self, x):
        first = F.relu(self.down[0](x))
        second = F.relu(self.down[1](F.max_pool2d(first, 2)))
        merged = torch.cat([first, F.interpolate(second, scale_factor=2)], dim=1)
        return self.outs[0](self.up(merged)), self.outs[1](second)


def colours(masks, device):
    palette = torch.tensor([[0, 0, 0], [255, 0, 0], [0, 255, 0]], device=device)
    return palette[masks]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = UNet().to(device)
    criterion = DiceLoss(3).to(device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for _ in range(2):
        image = torch.randn(2, 1, 8, 8).to(device=device, dtype=torch.float32)
        mask = torch.randint(0, 3, (2, 8, 8)).to(device=device, dtype=torch.long)
        full, half = model(image)
        loss = criterion(full, mask) + 0.5 * criterion(half, mask[:, ::2, ::2])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    picture = colours(full.argmax(dim=1), device)
    print(loss.item(), picture.float().mean().item())


if __name__ == "__main__":
    main()
