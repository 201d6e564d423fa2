"""Pinned batches, copies that do not wait, and a synchronisation before the CPU reads."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pin = device.type == "cuda"

dataset = TensorDataset(torch.randn(24, 5), torch.randn(24, 1))
loader = DataLoader(dataset, batch_size=8, shuffle=True, pin_memory=pin)
model = nn.Linear(5, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

losses = []
for inputs, targets in loader:
    inputs = inputs.to(device, non_blocking=True)
    targets = targets.to(device, non_blocking=True)
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())

history = torch.stack(losses).cpu()
print([round(value, 3) for value in history.tolist()])

weight = model.weight.detach().to("cpu")
biggest = weight.abs().max()
if pin:
    extra = torch.ones(4, 5).pin_memory().to(device, non_blocking=True)
else:
    extra = torch.ones(4, 5)
print(float(biggest), model(extra).sum().item())
