"""Experts in a list of modules; each token's result is put together on its device."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class MixtureOfExperts(nn.Module):
    def __init__(self, width=8, count=3, chosen=2):
        super().__init__()
        self.chosen = chosen
        self.gate = nn.Linear(width, count, bias=False)
        self.experts = nn.ModuleList([Expert(width) for _ in range(count)])
        self.register_buffer("load", torch.zeros(count))

    def forward(self, x):
        weights, picks = self.gate(x).softmax(dim=-1).topk(self.chosen)
        out = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            tokens, slots = torch.where(picks == index)
            out[tokens] += weights[tokens, slots, None] * expert(x[tokens])
            self.load[index] += len(tokens)
        return out


class Heads(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = MixtureOfExperts(width)
        self.heads = nn.ModuleDict({"sign": nn.Linear(width, 2), "size": nn.Linear(width, 1)})

    def forward(self, x):
        features = self.body(x)
        return {name: head(features) for name, head in self.heads.items()}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Heads().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(3):
        x = torch.randn(10, 8, device=device)
        out = model(x)
        sign = (x.sum(dim=1) > 0).long()
        loss = F.cross_entropy(out["sign"], sign) + F.l1_loss(out["size"], x.norm(dim=1)[:, None])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), model.body.load.tolist())


if __name__ == "__main__":
    main()
