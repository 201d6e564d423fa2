"""Solve a differential equation: the points need gradients and live on the device."""

import torch
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(1, 16), nn.Linear(16, 16)])
        self.out = nn.Linear(16, 1)
        self.frequency = nn.Parameter(torch.tensor([1.0, 2.0, 3.0, 4.0]).repeat(4))

    def forward(self, t):
        for layer in self.layers:
            t = torch.sin(self.frequency * layer(t))
        return self.out(t)


def derivative(values, at):
    ones = torch.ones_like(values)
    return torch.autograd.grad(values, at, grad_outputs=ones, create_graph=True)[0]


def residual(model, t):
    u = model(t)
    return derivative(u, t) + 2 * u


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Field().to(device)
rate = torch.tensor([0.5], device=device, requires_grad=True)
optimizer = torch.optim.Adam([*model.parameters(), rate], lr=1e-3)
start = torch.zeros(1, 1, device=device)
initial = torch.ones(1, 1, device=device)

for _ in range(3):
    t = torch.rand(16, 1, device=device).requires_grad_()
    loss = residual(model, t).pow(2).mean() + (model(start) - initial).pow(2).mean()
    loss = loss + (rate * t.detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

grid = torch.linspace(0, 1, 5).unsqueeze(1)
solution = model(grid.to(device)).detach().cpu()
print((solution - torch.exp(-2 * grid)).abs().max().item())
