import torch
import torch.nn as nn
import torch.nn.functional as F


class CFG:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    n = 96
    dim = 8
    batch_size = 16
    epochs = 3
    lr = 0.02
    temperature = 0.5
    warmup_epochs = 1
    momentum = 0.7
    seed = 2024


class LossBook:
    """Running per-example loss, used to choose what the next epoch looks at."""

    def __init__(self, n, momentum, device):
        self.momentum = momentum
        self.value = torch.ones(n, device=device)
        self.seen = torch.zeros(n, dtype=torch.long)

    @torch.no_grad()
    def update(self, idx, losses):
        where = idx.to(self.value.device)
        old = self.value[where]
        self.value[where] = self.momentum * old + (1 - self.momentum) * losses.detach().to(old.dtype)
        self.seen[idx] += 1

    def quantile(self, q):
        return self.value.quantile(q).item()


class HardExampleSampler(torch.utils.data.Sampler):
    def __init__(self, book, num_samples, temperature, seed=0):
        self.book = book
        self.num_samples = num_samples
        self.temperature = temperature
        self.gen = torch.Generator()
        self.gen.manual_seed(seed)
        self.uniform = True

    def __len__(self):
        return self.num_samples

    def __iter__(self):
        n = len(self.book.value)
        if self.uniform:
            yield from torch.randperm(n, generator=self.gen)[: self.num_samples].tolist()
            return
        probs = F.softmax(self.book.value / self.temperature, dim=0)
        picks = torch.multinomial(probs.cpu(), self.num_samples, replacement=True, generator=self.gen)
        yield from picks.tolist()


class IndexedData(torch.utils.data.Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return i, self.x[i], self.y[i]


def make_data(cfg):
    w = torch.randn(cfg.dim)
    x = torch.randn(cfg.n, cfg.dim)
    y = (x @ w + 0.5 * torch.randn(cfg.n) > 0).float()
    return IndexedData(x, y)


def train_one_epoch(cfg, model, loader, book, optimizer):
    model.train()
    meter = []
    for idx, x, y in loader:
        x = x.to(cfg.device)
        y = y.to(cfg.device)
        logits = model(x).squeeze(-1)
        losses = F.binary_cross_entropy_with_logits(logits, y, reduction="none")
        book.update(idx, losses)
        loss = losses.mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        meter.append(loss.detach())
    return torch.stack(meter).mean().item()


def run(cfg=CFG):
    torch.manual_seed(cfg.seed)
    data = make_data(cfg)
    book = LossBook(len(data), cfg.momentum, cfg.device)
    sampler = HardExampleSampler(book, len(data), cfg.temperature, cfg.seed)
    loader = torch.utils.data.DataLoader(data, batch_size=cfg.batch_size, sampler=sampler)
    model = nn.Sequential(nn.Linear(cfg.dim, 16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, 1)).to(cfg.device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        sampler.uniform = epoch < cfg.warmup_epochs
        avg = train_one_epoch(cfg, model, loader, book, optimizer)
        print(f"epoch {epoch} uniform={sampler.uniform} loss={avg:.4f} "
              f"p90={book.quantile(0.9):.3f} unseen={(book.seen == 0).sum().item()}")


if __name__ == "__main__":
    run()
