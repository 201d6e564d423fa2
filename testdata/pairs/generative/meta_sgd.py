"""Meta-SGD (Li et al., 2017): learn the initialisation and a per-parameter inner learning rate."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call


class SinusoidTasks:
    def __init__(self, k_shot, k_query, rng):
        self.k_shot, self.k_query, self.rng = k_shot, k_query, rng

    def sample(self, n_tasks):
        for _ in range(n_tasks):
            amp, phase = self.rng.uniform(0.1, 5.0), self.rng.uniform(0, np.pi)
            x = self.rng.uniform(-5, 5, size=(self.k_shot + self.k_query, 1)).astype(np.float32)
            y = (amp * np.sin(x + phase)).astype(np.float32)
            x, y = torch.from_numpy(x), torch.from_numpy(y)
            yield (x[: self.k_shot], y[: self.k_shot]), (x[self.k_shot:], y[self.k_shot:])


class MetaSGD(nn.Module):
    def __init__(self, net, init_lr=0.01, first_order=False):
        super().__init__()
        self.net = net
        self.first_order = first_order
        self.inner_lrs = nn.ParameterDict({
            name.replace(".", "_"): torch.full_like(p, init_lr) for name, p in net.named_parameters()
        })

    def meta_parameters(self):
        yield from self.net.parameters()
        yield from self.inner_lrs.values()

    def adapt(self, support, steps=1):
        x, y = support
        fast = dict(self.net.named_parameters())
        for _ in range(steps):
            loss = F.mse_loss(functional_call(self.net, fast, (x,)), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            fast = self.update(fast, grads)
        return fast

    def update(self, fast, grads):
        return {
            name: w - self.inner_lrs[name.replace(".", "_")] * g
            for (name, w), g in zip(fast.items(), grads)
        }

    def forward(self, x, fast=None):
        return self.net(x) if fast is None else functional_call(self.net, fast, (x,))


class RunningAverage:
    def __init__(self, momentum=0.9):
        self.momentum = momentum
        self.value = torch.tensor(float("nan"))

    def update(self, x):
        x = x.detach().cpu()
        self.value = x if torch.isnan(self.value) else torch.lerp(x, self.value, self.momentum)
        return self.value.item()


def outer_step(learner, tasks, opt, device, inner_steps):
    meta_loss = torch.zeros((), device=device)
    n = 0
    for support, query in tasks:
        support = tuple(t.to(device) for t in support)
        query_x, query_y = (t.to(device) for t in query)
        fast = learner.adapt(support, inner_steps)
        meta_loss = meta_loss + F.mse_loss(learner(query_x, fast), query_y)
        n += 1
    meta_loss = meta_loss / n
    opt.zero_grad()
    meta_loss.backward()
    nn.utils.clip_grad_norm_(list(learner.net.parameters()), 10.0)
    opt.step()
    return meta_loss


def evaluate(learner, tasks, device, steps=3):
    curve = np.zeros(steps + 1)
    count = 0
    for (sx, sy), (qx, qy) in tasks:
        sx, sy, qx, qy = sx.to(device), sy.to(device), qx.to(device), qy.to(device)
        for s in range(steps + 1):
            fast = learner.adapt((sx, sy), s)
            with torch.no_grad():
                curve[s] += F.mse_loss(learner(qx, fast), qy).item()
        count += 1
    return curve / count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--meta-batch", type=int, default=4)
    parser.add_argument("--inner-steps", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--gpu", type=int, default=0, help="-1 for CPU")
    args = parser.parse_args()
    device = torch.device(f"cuda:{args.gpu}") if args.gpu >= 0 and torch.cuda.is_available() else torch.device("cpu")

    torch.manual_seed(0)
    tasks = SinusoidTasks(5, 10, np.random.default_rng(0))
    net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
    learner = MetaSGD(net).to(device)
    opt = torch.optim.Adam(learner.meta_parameters(), lr=1e-3)
    avg = RunningAverage()
    for it in range(args.iterations):
        loss = outer_step(learner, tasks.sample(args.meta_batch), opt, device, args.inner_steps)
        print(f"iter {it} meta-loss {avg.update(loss):.4f}")
    print("adaptation curve", evaluate(learner, tasks.sample(3), device).round(3))


if __name__ == "__main__":
    main()
