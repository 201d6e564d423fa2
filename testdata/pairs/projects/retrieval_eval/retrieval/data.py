import torch
from torch.utils.data import DataLoader, Dataset, random_split


class PairDataset(Dataset):
    def __init__(self, n, length, vocab):
        self.query = torch.randint(1, vocab, (n, length))
        noise = torch.rand(n, length) < 0.3
        self.doc = torch.where(noise, torch.randint(1, vocab, (n, length)), self.query)

    def __len__(self):
        return self.query.size(0)

    def __getitem__(self, i):
        return {"query": self.query[i], "doc": self.doc[i], "id": i}


def make_loaders(cfg, vocab):
    full = PairDataset(cfg.pairs, cfg.length, vocab)
    n_val = len(full) // 4
    train, val = random_split(full, [len(full) - n_val, n_val], generator=torch.Generator().manual_seed(7))
    return DataLoader(train, cfg.batch_size, shuffle=True), DataLoader(val, cfg.batch_size)
