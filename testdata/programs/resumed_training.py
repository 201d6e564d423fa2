"""Saves model, optimizer, scheduler and random state, and goes on from the file."""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
PATH = "checkpoint.pt"


def build():
    return nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 1))


def train(model, optimizer, steps):
    for _ in range(steps):
        features = torch.randn(16, 5, device=device)
        loss = nn.functional.mse_loss(model(features), features.sum(1, keepdim=True))  # crash 1
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # crash 2
    return loss.item()


def save(model, optimizer, scheduler):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    state |= {"scheduler": scheduler.state_dict(), "cuda": torch.cuda.get_rng_state()}
    torch.save(state, PATH)


def resume():
    model = build().to(device)
    # bug 1: model = build()
    # bug 2: model = build()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    checkpoint = torch.load(PATH, map_location="cpu")  # born 1, born 2
    model.load_state_dict(checkpoint["model"], assign=False)
    # bug 1: model.load_state_dict(checkpoint["model"], assign=True)
    optimizer.load_state_dict(checkpoint["optimizer"])
    # bug 2: optimizer.load_state_dict(checkpoint["optimizer"]); model.to(device)
    scheduler.load_state_dict(checkpoint["scheduler"])
    torch.cuda.set_rng_state(checkpoint["cuda"])
    return model, optimizer, scheduler


model = build().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
before = train(model, optimizer, 2)
scheduler.step()
save(model, optimizer, scheduler)
model, optimizer, scheduler = resume()
print(before, train(model, optimizer, 2), scheduler.get_last_lr())
