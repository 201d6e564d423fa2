"""An exponential moving average of the weights, made after the move."""

import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for name, parameter in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(parameter, alpha=1 - self.decay)


class Normalized(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("count", torch.ones(1))

    def forward(self, x):
        if self.training:
            self.count += 1
            self.mean += (x.detach().mean(dim=0) - self.mean) / self.count
        return self.linear(x - self.mean)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Normalized(6)
    model.to(device)
    ema = EMA(model)
    teacher = copy.deepcopy(model).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        x = torch.randn(5, 6, device=device)
        with torch.no_grad():
            target = teacher(x)
        loss = (model(x) - target).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(model)
    print(loss.item(), sum(value.norm().item() for value in ema.shadow.values()))


if __name__ == "__main__":
    main()
