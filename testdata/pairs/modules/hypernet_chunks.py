"""Chunked hypernetwork for continual learning on a few toy regression tasks."""
import copy

import torch
import torch.nn as nn
from torch.func import functional_call


class Args:
    tasks = 3
    steps = 5
    emb_dim = 8
    chunk = 64
    beta = 0.05
    lr = 1e-3
    device = "cuda" if torch.cuda.is_available() else "cpu"


class TargetMLP(nn.Module):
    def __init__(self, n_in=1, hidden=16, n_out=1):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, hidden), nn.Tanh(), nn.Linear(hidden, n_out))

    def forward(self, x):
        return self.net(x)

    def shapes(self):
        return {name: p.shape for name, p in self.named_parameters()}


class ChunkedHyperNet(nn.Module):
    def __init__(self, shapes, n_tasks, emb_dim, chunk):
        super().__init__()
        self.shapes = shapes
        self.total = sum(s.numel() for s in shapes.values())
        n_chunks = -(-self.total // chunk)
        self.task_emb = nn.ParameterList(nn.Parameter(torch.randn(emb_dim)) for _ in range(n_tasks))
        self.chunk_emb = nn.ParameterList(nn.Parameter(torch.randn(emb_dim)) for _ in range(n_chunks))
        self.body = nn.Sequential(nn.Linear(2 * emb_dim, 32), nn.ReLU(), nn.Linear(32, chunk))
        self.out_scale = torch.tensor(0.2)

    def shared_parameters(self):
        return list(self.body.parameters()) + list(self.chunk_emb)

    def generate(self, task_id):
        chunks = torch.stack([c for c in self.chunk_emb])
        task = self.task_emb[task_id].expand_as(chunks)
        flat = self.body(torch.cat([task, chunks], dim=1)).flatten()[: self.total]
        return flat * self.out_scale

    def forward(self, task_id):
        flat = self.generate(task_id)
        sizes = [s.numel() for s in self.shapes.values()]
        return {k: v.view(s) for (k, s), v in zip(self.shapes.items(), flat.split(sizes))}


class OutputRegularizer:
    """Keeps the weights generated for earlier tasks where they were."""

    def __init__(self, hnet, beta):
        self.beta = beta
        self.snapshots = []
        self.hnet = hnet

    @torch.no_grad()
    def consolidate(self, task_id):
        self.snapshots.append((task_id, self.hnet.generate(task_id).clone()))

    def __call__(self):
        if not self.snapshots:
            return 0.0
        terms = [(self.hnet.generate(t) - w).pow(2).sum() for t, w in self.snapshots]
        return self.beta * torch.stack(terms).mean()


def task_data(task_id, n=32):
    x = torch.linspace(-1, 1, n).unsqueeze(1)
    y = torch.sin((task_id + 1) * 2 * x) + 0.05 * torch.randn(n, 1)
    return x, y


def mse(hnet, target, task_id, x, y):
    return nn.functional.mse_loss(functional_call(target, hnet(task_id), (x,)), y)


def run(args):
    torch.manual_seed(0)
    target = TargetMLP()
    hnet = ChunkedHyperNet(target.shapes(), args.tasks, args.emb_dim, args.chunk)
    target, hnet = target.to(args.device), hnet.to(args.device)
    reg = OutputRegularizer(hnet, args.beta)
    data = [task_data(t) for t in range(args.tasks)]
    best = None

    for t in range(args.tasks):
        opt = torch.optim.Adam(hnet.shared_parameters() + [hnet.task_emb[t]], lr=args.lr)
        x, y = (v.to(args.device) for v in data[t])
        for _ in range(args.steps):
            opt.zero_grad()
            loss = mse(hnet, target, t, x, y) + reg()
            loss.backward()
            opt.step()
        reg.consolidate(t)
        best = copy.deepcopy(hnet.state_dict())
        print(f"task {t}: loss {loss.item():.4f}")

    with torch.no_grad():
        final = torch.tensor([
            mse(hnet, target, t, data[t][0].to(args.device), data[t][1].to(args.device)) for t in range(args.tasks)
        ])
    print("final per-task mse", final.numpy().round(3), "| tensors saved:", len(best))


if __name__ == "__main__":
    run(Args)
