"""A default device for everything; the loader's generator has to be there as well."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Regression(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3, 1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x @ self.weight + self.bias


def train():
    with torch.device(device):
        model = Regression()
        truth = torch.tensor([[1.0], [2.0], [3.0]])
        x = torch.randn(32, 3)
    y = x @ truth
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def shuffled_batches():
    torch.set_default_device(device)
    dataset = TensorDataset(torch.arange(12.0).view(12, 1))
    loader = DataLoader(
        dataset, batch_size=4, shuffle=True, generator=torch.Generator(device=device)
    )
    scale = torch.full((1,), 2.0)
    totals = [(batch * scale).sum().item() for (batch,) in loader]
    torch.set_default_device("cpu")
    return totals


if __name__ == "__main__":
    model = train()
    print(model(torch.ones(1, 3, device=device)).item())
    print(shuffled_batches())
