"""A trainer that keeps its device, its metrics and its best weights."""

import copy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class MeanMetric:
    def __init__(self, device):
        self.total = torch.zeros(1, device=device)
        self.count = torch.zeros(1, device=device)

    def update(self, value, weight):
        self.total += value.detach() * weight
        self.count += weight

    def compute(self):
        return (self.total / self.count).item()


class Trainer:
    def __init__(self, model, criterion, learning_rate=1e-2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model
        self.model.to(self.device)
        self.criterion = criterion.to(self.device)
        self.optimizer = torch.optim.Adagrad(self.model.parameters(), lr=learning_rate)
        self.best = None

    def fit(self, loader, epochs):
        for _ in range(epochs):
            self.model.train()
            for batch in loader:
                inputs, targets = (each.to(self.device) for each in batch)
                loss = self.criterion(self.model(inputs), targets)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.best = copy.deepcopy(self.model.state_dict())
        return self

    @torch.no_grad()
    def validate(self, loader):
        self.model.load_state_dict(self.best)
        self.model.eval()
        metric = MeanMetric(self.device)
        for inputs, targets in loader:
            inputs = inputs.to(self.device)
            targets = targets.to(self.device)
            metric.update(self.criterion(self.model(inputs), targets), len(inputs))
        return metric.compute()


def main():
    data = TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,)))
    loader = DataLoader(data, batch_size=10, shuffle=True)
    weights = torch.tensor([1.0, 2.0, 0.5])
    model = nn.Sequential(nn.Linear(6, 12), nn.Dropout(0.1), nn.ReLU(), nn.Linear(12, 3))
    trainer = Trainer(model, nn.CrossEntropyLoss(weight=weights))
    print(trainer.fit(loader, 2).validate(loader))


if __name__ == "__main__":
    main()
