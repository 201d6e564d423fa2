"""Train in two runs: the second goes on from the checkpoint of the first."""

import os
import tempfile

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))


def step(model, optimizer, device):
    x = torch.randn(16, 6, device=device)
    loss = nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def to_cpu(state):
    if isinstance(state, torch.Tensor):
        return state.cpu()
    if isinstance(state, dict):
        return {key: to_cpu(value) for key, value in state.items()}
    return state


def first_run(path, device):
    model = build().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(3):
        step(model, optimizer, device)
    states = {"model": to_cpu(model.state_dict()), "optimizer": to_cpu(optimizer.state_dict())}
    torch.save(states, path)


def second_run(path, device):
    checkpoint = torch.load(path, map_location="cpu")
    model = build()
    model.load_state_dict(checkpoint["model"])
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    optimizer.load_state_dict(checkpoint["optimizer"])
    for _ in range(3):
        loss = step(model, optimizer, device)
    return loss.item()


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint.pt")
        first_run(path, device)
        print(f"{second_run(path, device):.3f}")


if __name__ == "__main__":
    main()
