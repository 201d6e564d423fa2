import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader
from torch.utils.data import Dataset

from minilearn.callbacks import BestCheckpoint, EarlyStopping, LRLogger
from minilearn.learner import Learner
from minilearn.networks import TabularNet


class FriedmanDataset(Dataset):
    cardinalities = (4, 3)
    num_features = 5

    def __init__(self, n):
        rng = np.random.default_rng(n)
        self.num = rng.random((n, self.num_features)).astype("float32")
        self.cat = np.stack([rng.integers(0, c, n) for c in self.cardinalities], axis=1)
        x = self.num
        y = np.sin(np.pi * x[:, 0] * x[:, 1]) + 2 * (x[:, 2] - 0.5) ** 2 + x[:, 3] + 0.3 * self.cat[:, 0]
        self.y = ((y - y.mean()) / y.std()).astype("float32")

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return (torch.from_numpy(self.num[i]), torch.from_numpy(self.cat[i])), torch.tensor(self.y[i])


def main():
    torch.manual_seed(21)
    train, valid = FriedmanDataset(96), FriedmanDataset(32)
    loaders = {
        "train": DataLoader(train, batch_size=16, shuffle=True),
        "valid": DataLoader(valid, batch_size=32),
    }
    with tempfile.TemporaryDirectory() as tmp:
        out_dir = Path(tmp)
        learner = Learner(
            TabularNet(train.num_features, train.cardinalities),
            loaders,
            loss_fn=torch.nn.MSELoss(),
            callbacks=[LRLogger(), BestCheckpoint(out_dir / "best.pt"), EarlyStopping(patience=3)],
        )
        learner.fit(epochs=4, lr=1e-2)
        best = torch.load(out_dir / "best.pt", map_location=learner.device)
        learner.model.load_state_dict(best["model"])
        print("reloaded epoch", best["epoch"], "valid", round(learner.validate(), 4))


if __name__ == "__main__":
    main()
