"""A data set read by workers: they stay on the CPU, the loop moves the batches."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class Waves(Dataset):
    def __init__(self, count: int, noise: float = 0.1) -> None:
        self.count = count
        self.noise = noise

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int):
        phase = torch.arange(16) / (index + 1)
        wave = torch.sin(phase) + self.noise * torch.randn(16)
        return wave, torch.tensor(index % 2)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3)
        self.fc = nn.Linear(4 * 14, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.relu(self.conv(x.unsqueeze(1))).flatten(1))


def main() -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    split = torch.Generator().manual_seed(7)
    train, valid = random_split(Waves(20), [16, 4], generator=split)
    loader = DataLoader(train, batch_size=4, shuffle=True, num_workers=1)
    valid_loader = DataLoader(valid, batch_size=4)
    model = Model().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for wave, label in loader:
        wave = wave.to(device)
        label = label.to(device)
        loss = nn.functional.cross_entropy(model(wave), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    hits = torch.zeros((), device=device)
    for wave, label in valid_loader:
        hits += (model(wave.to(device)).argmax(1) == label.to(device)).sum()
    print(hits.item() / len(valid))


if __name__ == "__main__":
    main()
