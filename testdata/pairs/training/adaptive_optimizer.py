import math

import torch
import torch.nn as nn
from torch.optim import Optimizer


class AdaBeliefW(Optimizer):
    r"""AdaBelief with decoupled weight decay and optional per-row second moments for matrices."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-12, weight_decay=0.0, factored=False):
        if lr < 0.0:
            raise ValueError("Invalid learning rate: {}".format(lr))
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, factored=factored)
        super().__init__(params, defaults)

    def _init_state(self, p, group):
        state = self.state[p]
        state["step"] = torch.tensor(0.0)
        state["exp_avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)
        if group["factored"] and p.dim() == 2:
            state["exp_avg_var"] = torch.zeros(p.shape[0], 1, dtype=p.dtype, device=p.device)
        else:
            state["exp_avg_var"] = torch.zeros_like(p, memory_format=torch.preserve_format)
        return state

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad
                if grad.is_sparse:
                    raise RuntimeError("AdaBeliefW does not support sparse gradients")
                state = self.state[p]
                if len(state) == 0:
                    state = self._init_state(p, group)
                state["step"] += 1
                step = state["step"].item()
                exp_avg, exp_avg_var = state["exp_avg"], state["exp_avg_var"]
                if group["weight_decay"]:
                    p.mul_(1.0 - group["lr"] * group["weight_decay"])
                exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
                resid = (grad - exp_avg).square_()
                if exp_avg_var.shape != resid.shape:
                    resid = resid.mean(dim=1, keepdim=True)
                exp_avg_var.mul_(beta2).add_(resid, alpha=1 - beta2)
                denom = (exp_avg_var / (1 - beta2 ** step)).sqrt_().add_(group["eps"] + 1e-8)
                p.addcdiv_(exp_avg, denom.expand_as(p), value=-group["lr"] / (1 - beta1 ** step))
        return loss


def build_groups(model, weight_decay):
    matrices, rest = [], []
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        if p.dim() == 2 and "embed" not in name:
            matrices.append(p)
        else:
            rest.append(p)
    return [{"params": rest, "weight_decay": 0.0},
            {"params": matrices, "weight_decay": weight_decay, "factored": True}]


class Recommender(nn.Module):
    def __init__(self, users=30, items=40, dim=8):
        super().__init__()
        self.user_embed = nn.Embedding(users, dim)
        self.item_embed = nn.Embedding(items, dim)
        self.mlp = nn.Sequential(nn.Linear(2 * dim, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, u, i):
        return self.mlp(torch.cat([self.user_embed(u), self.item_embed(i)], dim=1)).squeeze(1)


class InverseSqrt(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer, warmup, last_epoch=-1):
        self.warmup = warmup
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        t = self.last_epoch + 1
        scale = min(t / self.warmup, math.sqrt(self.warmup / t))
        return [base * scale for base in self.base_lrs]


def main():
    torch.manual_seed(0)
    model = Recommender()
    if torch.cuda.is_available():
        model = model.cuda()
    optimizer = AdaBeliefW(build_groups(model, 1e-2), lr=5e-3)
    scheduler = InverseSqrt(optimizer, warmup=3)
    device = model.user_embed.weight.device
    ratings = (torch.rand(200) > 0.5).float()
    users, items = torch.randint(30, (200,)), torch.randint(40, (200,))
    for step in range(6):
        pick = torch.randperm(200)[:64]
        u, i, r = (t[pick].to(device) for t in (users, items, ratings))

        def closure():
            optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(u, i), r)
            loss.backward()
            return loss

        loss = optimizer.step(closure)
        scheduler.step()
        print(f"{step} loss {loss.item():.4f} lr {scheduler.get_last_lr()[0]:.5f}")


if __name__ == "__main__":
    main()
