"""Contrastive learning: masks and targets are made where the features are."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class NTXent(nn.Module):
    def __init__(self, temperature=0.5):
        super().__init__()
        self.temperature = temperature

    def forward(self, first, second):
        batch = first.size(0)
        z = F.normalize(torch.cat([first, second]), dim=1)
        similarity = z @ z.t() / self.temperature
        own = torch.eye(2 * batch, dtype=torch.bool, device=z.device)
        similarity = similarity.masked_fill(own, float("-inf"))
        targets = torch.cat([torch.arange(batch) + batch, torch.arange(batch)]).to(z.device)
        return F.cross_entropy(similarity, targets)


class MomentumQueue(nn.Module):
    def __init__(self, width, size=16):
        super().__init__()
        self.register_buffer("queue", F.normalize(torch.randn(size, width), dim=1))
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def push(self, keys):
        start = int(self.pointer)
        self.queue[start : start + len(keys)] = keys
        self.pointer[0] = (start + len(keys)) % len(self.queue)

    def forward(self, q, k):
        positive = (q * k).sum(dim=1, keepdim=True)
        negative = q @ self.queue.clone().t()
        logits = torch.cat([positive, negative], dim=1)
        labels = torch.zeros(len(q), dtype=torch.long, device=q.device)
        return F.cross_entropy(logits, labels)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 8)).to(device)
    queue = MomentumQueue(8).to(device)
    criterion = NTXent()
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    for _ in range(3):
        x = torch.randn(4, 12).to(device)
        first = encoder(x + 0.1 * torch.randn_like(x))
        second = encoder(x + 0.1 * torch.randn(4, 12, device=device))
        loss = criterion(first, second) + queue(F.normalize(first), F.normalize(second).detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        queue.push(F.normalize(second.detach()))
    print(loss.item())


if __name__ == "__main__":
    main()
