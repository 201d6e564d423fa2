"""Learn from unbalanced classes: the losses have weights of their own."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

inputs = torch.randn(48, 10)
targets = (torch.rand(48) > 0.8).long()
loader = DataLoader(TensorDataset(inputs, targets), batch_size=12)

counts = torch.bincount(targets, minlength=2).float()
class_weights = counts.sum() / (2 * counts.clamp(min=1))

model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
criterion = nn.CrossEntropyLoss(weight=class_weights.to(device))
binary = nn.BCEWithLogitsLoss(pos_weight=torch.tensor([4.0], device=device))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

for _ in range(2):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        logits = model(x)
        margin = (logits[:, 1] - logits[:, 0]).unsqueeze(1)
        loss = criterion(logits, y) + binary(margin, y.float().unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
