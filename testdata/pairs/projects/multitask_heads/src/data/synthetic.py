import torch
from torch.utils.data import DataLoader
from torch.utils.data import Dataset


class ClinicalDataset(Dataset):
    def __init__(self, n, n_features, tasks):
        self.x = torch.randn(n, 5, n_features)
        score = self.x.mean(dim=(1, 2))
        self.labels = {}
        for name, spec in tasks.items():
            if spec["type"] == "binary":
                self.labels[name] = (score > 0).float()
            elif spec["type"] == "regression":
                self.labels[name] = score.exp()
            else:
                thresholds = torch.linspace(-0.5, 0.5, spec["num_labels"])
                self.labels[name] = (score[:, None] > thresholds).float()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], {k: v[i] for k, v in self.labels.items()}


def collate(items):
    xs, ys = zip(*items)
    targets = {k: torch.stack([y[k] for y in ys]) for k in ys[0]}
    return torch.stack(xs), targets


def build_loader(dataset, batch_size, shuffle=True):
    return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle, collate_fn=collate,
                      pin_memory=False, drop_last=True)
