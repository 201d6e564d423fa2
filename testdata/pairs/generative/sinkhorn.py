r"""Domain alignment with an entropic optimal transport loss.

.. math:: OT_\epsilon(a, b) = \min_{P \in U(\mu, \nu)} \langle P, C \rangle - \epsilon H(P)
"""
import itertools
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class SinkhornDistance(nn.Module):
    r"""
    Shapes: x (N, P_1, D) or (P_1, D), y (N, P_2, D) or (P_2, D).
    Output: cost (N,) or (), plan, cost matrix.
    """

    def __init__(self, eps, max_iter, reduction='none', thresh=1e-2):
        super(SinkhornDistance, self).__init__()
        self.eps = eps
        self.max_iter = max_iter
        self.reduction = reduction
        self.thresh = thresh

    def marginals(self, x, y):
        x_points, y_points = x.shape[-2], y.shape[-2]
        batch_size = 1 if x.dim() == 2 else x.shape[0]
        mu = torch.empty(batch_size, x_points, dtype=torch.float, requires_grad=False, device=x.device).fill_(1.0 / x_points)
        nu = torch.empty(batch_size, y_points, dtype=torch.float, requires_grad=False, device=y.device).fill_(1.0 / y_points)
        if x.dim() == 2:
            mu, nu = mu.squeeze(0), nu.squeeze(0)
        return mu, nu

    def forward(self, x, y):
        C = self._cost_matrix(x, y)
        mu, nu = self.marginals(x, y)
        u, v = torch.zeros_like(mu), torch.zeros_like(nu)

        for actual_nits in range(1, self.max_iter + 1):
            u1 = u
            u = self.eps * (torch.log(mu + 1e-8) - torch.logsumexp(self.M(C, u, v), dim=-1)) + u
            v = self.eps * (torch.log(nu + 1e-8) - torch.logsumexp(self.M(C, u, v).transpose(-2, -1), dim=-1)) + v
            err = (u - u1).abs().sum(-1).mean()
            if err.item() < self.thresh:
                break

        pi = torch.exp(self.M(C, u, v))
        cost = torch.sum(pi * C, dim=(-2, -1))
        if self.reduction == 'mean':
            cost = cost.mean()
        elif self.reduction == 'sum':
            cost = cost.sum()
        return cost, pi, C

    def M(self, C, u, v):
        "Modified cost for logarithmic updates"
        return (-C + u.unsqueeze(-1) + v.unsqueeze(-2)) / self.eps

    @staticmethod
    def _cost_matrix(x, y, p=2):
        return torch.sum(torch.abs(x.unsqueeze(-2) - y.unsqueeze(-3)) ** p, -1)


class Adapter(nn.Module):
    def __init__(self, in_dim, feat, n_classes):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(in_dim, 32), nn.ReLU(), nn.Linear(32, feat))
        self.classifier = nn.Linear(feat, n_classes)

    def forward(self, x):
        f = self.features(x)
        return f, self.classifier(f)


def make_domains(n=96, seed=0):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(3, (n,), generator=g)
    angle = 2 * math.pi * y / 3
    centers = torch.stack([angle.cos(), angle.sin()], dim=1) * 2
    src = centers + 0.3 * torch.randn(n, 2, generator=g)
    theta = torch.tensor(math.pi / 6)
    rot = torch.stack([torch.stack([theta.cos(), -theta.sin()]), torch.stack([theta.sin(), theta.cos()])])
    tgt = (centers + 0.3 * torch.randn(n, 2, generator=g)) @ rot.t() + 0.5
    return TensorDataset(src, y), TensorDataset(tgt, y.clone())


def accuracy(model, dataset, device):
    x, y = dataset.tensors
    with torch.no_grad():
        _, logits = model(x.to(device))
    return (logits.argmax(1).cpu() == y).float().mean().item()


def main(config):
    torch.manual_seed(config['seed'])
    device = torch.device(config['device'])
    source, target = make_domains()
    src_loader = DataLoader(source, batch_size=config['batch'], shuffle=True, drop_last=True)
    tgt_loader = DataLoader(target, batch_size=config['batch'], shuffle=True, drop_last=True)

    model = Adapter(2, 4, 3).to(device)
    sinkhorn = SinkhornDistance(eps=0.1, max_iter=20, reduction='mean').to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=config['lr'])
    warmup = max(1, config['warmup'])

    step = itertools.count()
    for epoch in range(config['epochs']):
        for (xs, ys), (xt, _) in zip(src_loader, tgt_loader):
            xs, ys, xt = xs.to(device), ys.to(device), xt.to(device)
            fs, logits = model(xs)
            loss = nn.functional.cross_entropy(logits, ys)
            weight = config['lambda_ot'] * min(1.0, next(step) / warmup)
            if weight > 0:
                cost, plan, _ = sinkhorn(fs, model(xt)[0])
                loss = loss + weight * cost
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.3f} plan mass {plan.sum().item():.3f} "
              f"src {accuracy(model, source, device):.2f} tgt {accuracy(model, target, device):.2f}")


if __name__ == '__main__':
    main({'device': 'cuda' if torch.cuda.is_available() else 'cpu', 'seed': 0, 'batch': 24, 'lr': 5e-3,
          'epochs': 3, 'lambda_ot': 0.1, 'warmup': 4})
