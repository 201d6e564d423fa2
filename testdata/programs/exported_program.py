"""Exports a regressor with a dynamic batch and checks what was exported."""

import torch
from torch import nn
from torch.export import Dim, export

device = "cuda"


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.SiLU(), nn.Linear(32, 1))
        self.register_buffer("mean", torch.randn(8))
        self.register_buffer("std", torch.rand(8) + 0.5)

    def forward(self, features):
        return self.body((features - self.mean) / self.std)  # crash 1


model = Regressor().to(device)
example = (torch.randn(4, 8, device=device),)
# bug 1: example = (torch.randn(4, 8),)  # born 1
batch = Dim("batch", min=2, max=64)
program = export(model, example, dynamic_shapes=({0: batch},))
module = program.module()

rows = torch.randn(16, 8)
features = rows.to(device)
expected = model(features)
torch.testing.assert_close(module(features), expected)
targets = rows.sum(1, keepdim=True).to(device)
# bug 2: targets = rows.sum(1, keepdim=True)  # born 2
error = (module(features) - targets).abs().mean()  # crash 2
print(f"error {error.item():.3f}")
