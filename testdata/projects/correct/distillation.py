"""A small student learns from a big teacher; both are on the device."""

import torch
from torch import nn
from torch.nn import functional as F


def network(width):
    return nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 4))


class Distiller:
    def __init__(self, teacher, student, device, temperature=2.0):
        self.device = device
        self.teacher = teacher.to(device).eval()
        self.student = student.to(device)
        self.temperature = temperature
        self.optimizer = torch.optim.Adam(self.student.parameters(), lr=1e-3)

    def move(self, batch):
        return {name: value.to(self.device) for name, value in batch.items()}

    def step(self, batch):
        batch = self.move(batch)
        with torch.no_grad():
            soft = F.softmax(self.teacher(batch["x"]) / self.temperature, dim=1)
        logits = self.student(batch["x"])
        kl = F.kl_div(F.log_softmax(logits / self.temperature, 1), soft, reduction="batchmean")
        loss = kl + F.cross_entropy(logits, batch["y"])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def fit(self, batches):
        total = torch.zeros(1, device=self.device)
        for batch in batches:
            total += self.step(batch)
        return total / len(batches)


def main():
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    batches = [{"x": torch.randn(6, 10), "y": torch.randint(0, 4, (6,))} for _ in range(3)]
    distiller = Distiller(network(32), network(8), device)
    print(distiller.fit(batches).item())


if __name__ == "__main__":
    main()
