import torch
from torch import nn

from data import noise


def make_optimizer(model, lr):
    return torch.optim.Adam(model.parameters(), lr=lr)


def train_epoch(model, loader, optimizer, criterion, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = criterion(model(x + noise(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def evaluate(model, loader, device):
    model.eval()
    scores = []
    with torch.no_grad():
        for x, y in loader:
            scores.append(model(x.to(device)))
    return torch.cat(scores)


def save(model, path):
    torch.save({k: v.cpu() for k, v in model.state_dict().items()}, path)


def restore(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu"))
