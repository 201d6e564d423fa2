"""A model in two halves, each on a device of its own where there are two."""

import torch
import torch.nn as nn


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(8, 16), nn.ReLU()).to("cuda:0")
        self.second = nn.Linear(16, 4).to("cuda:1")

    def forward(self, x):
        hidden = self.first(x.to("cuda:0"))
        return self.second(hidden.to("cuda:1"))


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, x):
        return self.layers(x)


def main():
    split = torch.cuda.device_count() > 1
    model = Halves() if split else Whole()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        x = torch.randn(6, 8)
        y = torch.randint(0, 4, (6,))
        out = model(x)
        loss = nn.functional.cross_entropy(out, y.to(out.device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
    if split:
        left = torch.ones(3, device="cuda:0")
        right = torch.ones(3, device="cuda:1")
        print((left + right.to("cuda:0")).sum().item())


if __name__ == "__main__":
    main()
