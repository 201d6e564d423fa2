import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from box_utils import match
from config import IMAGE_SIZE, IOU_THRESH, PRIORS


class RectDataset(Dataset):
    def __init__(self, n, seed=0):
        rng = np.random.RandomState(seed)
        self.boxes = rng.uniform(0.1, 0.5, size=(n, 2, 2))
        self.sides = rng.uniform(0.2, 0.45, size=(n, 2, 2))
        self.labels = rng.randint(1, 3, size=(n, 2))

    def __len__(self):
        return len(self.boxes)

    def raw(self, i):
        boxes = np.concatenate([self.boxes[i], self.boxes[i] + self.sides[i]], axis=1).astype(np.float32)
        image = np.zeros((1, IMAGE_SIZE, IMAGE_SIZE), dtype=np.float32)
        for (x1, y1, x2, y2), lab in zip((boxes * IMAGE_SIZE).astype(int), self.labels[i]):
            image[0, y1:y2, x1:x2] = 0.5 * lab
        return torch.from_numpy(image), torch.from_numpy(boxes), torch.from_numpy(self.labels[i]).long()

    def __getitem__(self, i):
        image, boxes, labels = self.raw(i)
        loc_t, conf_t = match(boxes, labels, PRIORS, IOU_THRESH)
        return image, loc_t, conf_t


def make_loader(ds, batch_size):
    return DataLoader(ds, batch_size=batch_size, shuffle=True)
