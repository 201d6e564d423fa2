"""Write the features of a data set to a file, from the CPU."""

import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def extract(model, loader, device):
    model.eval()
    features, targets = [], []
    with torch.no_grad():
        for images, labels in loader:
            out = model(images.to(device))
            features.append(out.cpu())
            targets.append(labels)
    return torch.cat(features), torch.cat(targets)


def main(folder):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Flatten(), nn.Linear(48, 8)).to(device)
    dataset = TensorDataset(torch.randn(20, 3, 4, 4), torch.arange(20) % 2)
    features, targets = extract(model, DataLoader(dataset, batch_size=6), device)
    centers = torch.stack([features[targets == label].mean(dim=0) for label in (0, 1)])
    torch.save({"features": features, "centers": centers}, folder / "features.pt")
    torch.save(
        {name: value.cpu() for name, value in model.state_dict().items()}, folder / "model.pt"
    )

    other = nn.Sequential(nn.Flatten(), nn.Linear(48, 8))
    other.load_state_dict(torch.load(folder / "model.pt", map_location="cpu"))
    kept = torch.load(folder / "features.pt", map_location=device)
    other.to(device)
    query = other(torch.randn(1, 3, 4, 4, device=device))
    print(torch.cdist(query, kept["centers"]).tolist())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
