"""Lazy layers that find their sizes in a dry pass on the device."""

import torch
from torch import nn

device = torch.device("cuda")


class LazyNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.LazyConv2d(8, 3, padding=1), nn.LazyBatchNorm2d(), nn.ReLU(), nn.AdaptiveAvgPool2d(4)
        )
        self.head = nn.Sequential(
            nn.Flatten(), nn.LazyLinear(32), nn.ReLU(), nn.LazyLinear(classes)
        )

    def forward(self, images):
        return self.head(self.features(images))  # crash 1, crash 2


model = LazyNet(5).to(device)
example = torch.zeros(2, 3, 16, 16, device=device)
# bug 1: example = torch.zeros(2, 3, 16, 16)  # born 1
with torch.no_grad():
    model(example)
model.head.append(nn.Sequential(nn.ReLU(), nn.LazyLinear(5)).to(device))
# bug 2: model.head.append(nn.Sequential(nn.ReLU(), nn.Linear(5, 5)))  # born 2
with torch.no_grad():
    model(example)
optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=4)
for _ in range(3):
    images = torch.rand(4, 3, 16, 16, device=device)
    labels = torch.randint(0, 5, (4,), device=device)
    loss = nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
print(sum(each.numel() for each in model.parameters()))
