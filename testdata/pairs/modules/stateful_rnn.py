import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

CFG = {
    "window": 12,
    "batch_size": 6,
    "hidden": 24,
    "layers": 2,
    "epochs": 3,
    "lr": 2e-3,
    "cuda": torch.cuda.is_available(),
}


class SineSegments(Dataset):
    """Consecutive windows of several parallel series: item i continues item i - n_series."""

    def __init__(self, n_series, length, window):
        t = np.arange(length)
        phases = np.random.rand(n_series, 1) * 2 * np.pi
        series = np.sin(0.1 * t[None] + phases) + 0.05 * np.random.randn(n_series, length)
        self.items = []
        for s in range(0, length - window - 1, window):
            for row in series:
                seg = row[s:s + window + 1].astype(np.float32)
                self.items.append((seg[:-1, None], seg[1:, None]))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        x, y = self.items[i]
        return torch.from_numpy(x), torch.from_numpy(y)


class StatefulGRU(nn.Module):
    def __init__(self, batch_size, n_in, hidden, layers):
        super().__init__()
        self.gru = nn.GRU(n_in, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, n_in)
        self.state_shape = (layers, batch_size, hidden)
        self.register_buffer("state", torch.zeros(self.state_shape), persistent=False)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def reset_state(self):
        self.state = torch.zeros_like(self.state)

    def detach_state(self):
        self.state = self.state.detach()

    def forward(self, x):
        out, self.state = self.gru(x, self.state)
        self.steps += x.shape[1]
        return self.head(out)


class Trainer:
    def __init__(self, model, cfg):
        self.model = model
        self.cfg = cfg
        if cfg["cuda"]:
            self.model.cuda()
        self.loss_fn = nn.MSELoss()
        self.opt = torch.optim.RMSprop(model.parameters(), lr=cfg["lr"])
        self.history = []

    def _prepare(self, batch):
        if self.cfg["cuda"]:
            batch = [b.cuda(non_blocking=True) for b in batch]
        return batch

    def run_epoch(self, loader):
        losses = []
        for batch in loader:
            x, y = self._prepare(batch)
            self.model.detach_state()
            loss = self.loss_fn(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            losses.append(loss.detach())
        self.model.reset_state()
        return torch.stack(losses).mean().item()

    def fit(self, loader):
        for epoch in range(self.cfg["epochs"]):
            loss = self.run_epoch(loader)
            self.history.append(loss)
            print(f"epoch {epoch} loss {loss:.4f} (steps seen: {self.model.steps.item()})")
        return np.array(self.history)


def main():
    np.random.seed(0)
    torch.manual_seed(0)
    ds = SineSegments(CFG["batch_size"], 100, CFG["window"])
    loader = DataLoader(ds, batch_size=CFG["batch_size"], shuffle=False, drop_last=True)
    model = StatefulGRU(CFG["batch_size"], 1, CFG["hidden"], CFG["layers"])
    history = Trainer(model, CFG).fit(loader)
    print("best", history.min())


if __name__ == "__main__":
    main()
