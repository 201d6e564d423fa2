import copy
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class HousePrices(Dataset):
    """Tabular data: 6 numeric features, 1 target. Standardized with the train statistics."""

    def __init__(self, X, y, stats=None):
        self.X = torch.as_tensor(X, dtype=torch.float32)
        self.y = torch.as_tensor(y, dtype=torch.float32).unsqueeze(1)
        if stats is None:
            stats = (self.X.mean(0), self.X.std(0))
        self.stats = stats
        self.X = (self.X - stats[0]) / stats[1]

    def __len__(self):
        return len(self.X)

    def __getitem__(self, i):
        return self.X[i], self.y[i]


class MLP(nn.Module):
    def __init__(self, n_in, hidden=(32, 16), p=0.1):
        super().__init__()
        layers = []
        for h in hidden:
            layers += [nn.Linear(n_in, h), nn.BatchNorm1d(h), nn.ReLU(), nn.Dropout(p)]
            n_in = h
        layers.append(nn.Linear(n_in, 1))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


class EarlyStopping:
    """Stops the training if the validation loss doesn't improve after a given patience."""

    def __init__(self, patience=3, delta=0.0, path="checkpoint.pt", verbose=True):
        self.patience = patience
        self.delta = delta
        self.path = path
        self.verbose = verbose
        self.counter = 0
        self.best_score = None
        self.early_stop = False

    def __call__(self, val_loss, model):
        score = -val_loss
        if self.best_score is None or score > self.best_score + self.delta:
            self.best_score = score
            self.save_checkpoint(val_loss, model)
            self.counter = 0
        else:
            self.counter += 1
            if self.counter >= self.patience:
                self.early_stop = True

    def save_checkpoint(self, val_loss, model):
        if self.verbose:
            print(f"val loss improved to {val_loss:.5f}, saving model")
        torch.save(copy.deepcopy(model).cpu().state_dict(), self.path)


def run_epoch(model, loader, criterion, device, optimizer=None):
    training = optimizer is not None
    model.train(training)
    total, n = 0.0, 0
    with torch.set_grad_enabled(training):
        for xb, yb in loader:
            xb = xb.to(device)
            yb = yb.to(device)
            pred = model(xb)
            loss = criterion(pred, yb)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total += loss.detach() * len(xb)
            n += len(xb)
    return (total / n).item()


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    X = rng.normal(size=(200, 6))
    y = X @ rng.normal(size=6) + 0.1 * rng.normal(size=200)
    train_ds = HousePrices(X[:160], y[:160])
    val_ds = HousePrices(X[160:], y[160:], stats=train_ds.stats)
    train_dl = DataLoader(train_ds, batch_size=32, shuffle=True)
    val_dl = DataLoader(val_ds, batch_size=40)

    model = MLP(6).to(device)
    init_state = copy.deepcopy(model.state_dict())
    n_params = sum(v.numel() for v in init_state.values())
    print("values in the state dict:", n_params)
    criterion = nn.SmoothL1Loss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    curves = []
    with tempfile.TemporaryDirectory() as tmp:
        stopper = EarlyStopping(path=os.path.join(tmp, "best.pt"))
        for epoch in range(6):
            tr = run_epoch(model, train_dl, criterion, device, optimizer)
            va = run_epoch(model, val_dl, criterion, device)
            curves.append((tr, va))
            stopper(va, model)
            if stopper.early_stop:
                print("early stopping at", epoch)
                break
        model.load_state_dict(torch.load(stopper.path, map_location=device))
    print("best", run_epoch(model, val_dl, criterion, device), np.array(curves).shape)


if __name__ == "__main__":
    main()
