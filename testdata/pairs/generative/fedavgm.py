import copy
import random
from collections import OrderedDict
from dataclasses import dataclass
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class FedConfig:
    num_clients: int = 6
    clients_per_round: int = 3
    rounds: int = 3
    local_epochs: int = 1
    local_lr: float = 0.05
    server_lr: float = 1.0
    server_momentum: float = 0.9
    batch_size: int = 8
    device: torch.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@dataclass
class ClientUpdate:
    client_id: int
    num_samples: int
    weights: "OrderedDict[str, torch.Tensor]"
    loss: float

    def nbytes(self):
        return sum(v.numel() * v.element_size() for v in self.weights.values())


def make_model():
    return nn.Sequential(
        nn.Linear(10, 24), nn.BatchNorm1d(24), nn.ReLU(),
        nn.Linear(24, 3),
    )


class Client:
    def __init__(self, cid, cfg, skew):
        self.cid, self.cfg = cid, cfg
        n = random.randint(16, 40)
        probs = torch.distributions.Dirichlet(torch.full((3,), skew)).sample()
        self.y = torch.multinomial(probs, n, replacement=True)
        self.x = torch.randn(n, 10) + self.y[:, None]

    def loader(self):
        order = torch.randperm(len(self.y))
        for idx in order.split(self.cfg.batch_size):
            if len(idx) > 1:
                yield self.x[idx].to(self.cfg.device), self.y[idx].to(self.cfg.device)

    def train(self, global_model):
        model = copy.deepcopy(global_model)
        model.train()
        opt = torch.optim.SGD(model.parameters(), lr=self.cfg.local_lr)
        total = 0.0
        for _ in range(self.cfg.local_epochs):
            for x, y in self.loader():
                loss = F.cross_entropy(model(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(y)
        # what goes over the wire
        weights = OrderedDict((k, v.detach().cpu()) for k, v in model.state_dict().items())
        return ClientUpdate(self.cid, len(self.y), weights, total / (len(self.y) * self.cfg.local_epochs))


def weighted_average(updates: List[ClientUpdate]):
    total = sum(u.num_samples for u in updates)
    avg = OrderedDict()
    for key in updates[0].weights:
        stacked = torch.stack([u.weights[key].float() for u in updates])
        w = torch.tensor([u.num_samples / total for u in updates])
        avg[key] = torch.tensordot(w, stacked, dims=1)
    return avg


class FedAvgM:
    """Server momentum, Hsu et al. 2019."""

    def __init__(self, cfg: FedConfig):
        self.cfg = cfg
        self.model = make_model().to(cfg.device)
        self.velocity = {n: torch.zeros_like(p) for n, p in self.model.named_parameters()}

    @torch.no_grad()
    def aggregate(self, updates: List[ClientUpdate]):
        avg = weighted_average(updates)
        state = self.model.state_dict()
        for name, value in state.items():
            if name in self.velocity:
                v = self.velocity[name]
                v.mul_(self.cfg.server_momentum).add_(value - avg[name].to(value.device))
                state[name] = value - self.cfg.server_lr * v
            else:
                state[name] = avg[name].to(value.dtype)
        self.model.load_state_dict(state)

    @torch.no_grad()
    def evaluate(self, clients):
        self.model.eval()
        correct = count = 0
        for c in clients:
            logits = self.model(c.x.to(self.cfg.device))
            correct += (logits.argmax(1).cpu() == c.y).sum().item()
            count += len(c.y)
        return correct / count

    def run(self, clients):
        for rnd in range(self.cfg.rounds):
            chosen = random.sample(clients, self.cfg.clients_per_round)
            updates = [c.train(self.model) for c in chosen]
            self.aggregate(updates)
            kb = sum(u.nbytes() for u in updates) / 1024
            loss = sum(u.loss for u in updates) / len(updates)
            print(f"round {rnd}: loss {loss:.3f} acc {self.evaluate(clients):.3f} uplink {kb:.1f} KiB")


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    cfg = FedConfig()
    FedAvgM(cfg).run([Client(i, cfg, skew=0.8) for i in range(cfg.num_clients)])
