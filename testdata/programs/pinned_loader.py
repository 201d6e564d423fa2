"""A loader with workers, pinned memory and a batch class that pins and moves itself."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

device = torch.device("cuda")


@dataclass
class Batch:
    images: torch.Tensor
    labels: torch.Tensor

    def pin_memory(self):
        self.images, self.labels = self.images.pin_memory(), self.labels.pin_memory()
        return self

    def to(self, device):
        labels = self.labels.to(device, non_blocking=True)
        # bug 1: labels = self.labels
        return Batch(self.images.to(device, non_blocking=True), labels)


class Pictures(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        noise = torch.Generator().manual_seed(index)
        return torch.rand(3, 8, 8, generator=noise), index % 3


def collate(rows):
    images, labels = zip(*rows)
    return Batch(torch.stack(images), torch.tensor(labels))  # born 1


generator = torch.Generator().manual_seed(0)
train_set, test_set = random_split(Pictures(), [16, 8], generator=generator)
options = {"batch_size": 4, "num_workers": 2, "pin_memory": True, "collate_fn": collate}
train = DataLoader(train_set, shuffle=True, generator=generator, persistent_workers=True, **options)
test = DataLoader(test_set, **options)
model = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(216, 3)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
for batch in train:
    batch = batch.to(device)
    loss = nn.functional.cross_entropy(model(batch.images), batch.labels)  # crash 1
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
confusion = torch.zeros(3, 3, dtype=torch.long, device=device)
# bug 2: confusion = torch.zeros(3, 3, dtype=torch.long)  # born 2
with torch.no_grad():
    for batch in test:
        batch = batch.to(device)
        cells = batch.labels * 3 + model(batch.images).argmax(1)
        confusion += torch.bincount(cells, minlength=9).view(3, 3)  # crash 2
print(confusion.cpu().numpy().diagonal().sum())
