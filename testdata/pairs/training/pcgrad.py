import copy
import random
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


class PCGrad:
    """Project conflicting task gradients (Yu et al. 2020) around any torch optimizer.

    The flat gradients of the tasks are kept on the host: with many tasks they are larger than the model.
    """

    def __init__(self, optimizer: torch.optim.Optimizer):
        self._optim = optimizer

    @property
    def optimizer(self):
        return self._optim

    def _params(self):
        return [p for g in self._optim.param_groups for p in g["params"] if p.requires_grad]

    def zero_grad(self):
        self._optim.zero_grad(set_to_none=True)

    def step(self):
        self._optim.step()

    def pc_backward(self, objectives: List[torch.Tensor]):
        grads, touched = [], []
        for i, obj in enumerate(objectives):
            self.zero_grad()
            obj.backward(retain_graph=i < len(objectives) - 1)
            g, m = self._collect()
            grads.append(g)
            touched.append(m)
        merged = self._project(grads, torch.stack(touched).prod(0).bool())
        self._write_back(merged)

    def _collect(self):
        flat, mask = [], []
        for p in self._params():
            if p.grad is None:
                flat.append(torch.zeros(p.numel()))
                mask.append(torch.zeros(p.numel()))
            else:
                flat.append(p.grad.detach().flatten().cpu())
                mask.append(torch.ones(p.numel()))
        return torch.cat(flat), torch.cat(mask)

    def _project(self, grads, shared):
        pc = copy.deepcopy(grads)
        conflicts = 0
        for g_i in pc:
            others = list(grads)
            random.shuffle(others)
            for g_j in others:
                dot = torch.dot(g_i, g_j)
                if dot < 0:
                    conflicts += 1
                    g_i -= dot * g_j / (g_j.norm() ** 2)
        out = torch.zeros_like(grads[0])
        stacked = torch.stack(pc)
        out[shared] = stacked[:, shared].mean(0)
        out[~shared] = stacked[:, ~shared].sum(0)
        self.last_conflicts = conflicts
        return out

    def _write_back(self, flat):
        offset = 0
        for p in self._params():
            n = p.numel()
            p.grad = flat[offset:offset + n].view_as(p).to(p.device)
            offset += n


class MultiHeadNet(nn.Module):
    def __init__(self, tasks: Dict[str, int], din=10, width=24):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(din, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.heads = nn.ModuleDict({t: nn.Linear(width, d) for t, d in tasks.items()})

    def forward(self, x):
        h = self.shared(x)
        return {t: head(h) for t, head in self.heads.items()}


def synthetic(n, din=10):
    x = torch.randn(n, din)
    return x, {"depth": x[:, :1].sin(), "normal": F.normalize(x[:, :3], dim=1), "seg": (x.sum(1) > 0).long()}


def compute_losses(out, tgt):
    return [F.l1_loss(out["depth"], tgt["depth"]),
            (1 - F.cosine_similarity(out["normal"], tgt["normal"])).mean(),
            F.cross_entropy(out["seg"], tgt["seg"])]


def main(steps=4):
    random.seed(0)
    torch.manual_seed(0)
    x, tgt = synthetic(64)
    model = MultiHeadNet({"depth": 1, "normal": 3, "seg": 2})
    if torch.cuda.is_available():
        model.cuda()
    dev = next(model.parameters()).device
    x, tgt = x.to(dev), {k: v.to(dev) for k, v in tgt.items()}
    opt = PCGrad(torch.optim.Adam(model.parameters(), lr=1e-2))
    for step in range(steps):
        losses = compute_losses(model(x), tgt)
        opt.pc_backward(losses)
        opt.step()
        print(step, [round(l.item(), 4) for l in losses], "conflicts:", opt.last_conflicts)


if __name__ == "__main__":
    main()
