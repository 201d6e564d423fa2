import dataclasses

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclasses.dataclass(frozen=True)
class MoEConfig:
    dim: int = 24
    hidden: int = 48
    num_experts: int = 4
    top_k: int = 2
    num_layers: int = 2
    vocab: int = 40
    aux_coef: float = 0.01
    capacity_factor: float = 1.5


class Expert(nn.Module):
    def __init__(self, cfg: MoEConfig):
        super().__init__()
        self.gate_up = nn.Linear(cfg.dim, 2 * cfg.hidden, bias=False)
        self.down = nn.Linear(cfg.hidden, cfg.dim, bias=False)

    def forward(self, x):
        a, b = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(a) * b)


class Router(nn.Module):
    def __init__(self, cfg: MoEConfig):
        super().__init__()
        self.cfg = cfg
        self.proj = nn.Linear(cfg.dim, cfg.num_experts, bias=False)
        self.load = torch.zeros(cfg.num_experts)

    def forward(self, x):
        probs = self.proj(x).softmax(dim=-1)
        weights, experts = probs.topk(self.cfg.top_k, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        counts = torch.bincount(experts.flatten(), minlength=self.cfg.num_experts)
        frac = counts.to(probs.dtype) / experts.numel()
        aux = self.cfg.num_experts * (frac * probs.mean(0)).sum()
        self.load.mul_(0.9).add_(frac.detach().cpu(), alpha=0.1)
        return weights, experts, aux


class MoELayer(nn.Module):
    def __init__(self, cfg: MoEConfig):
        super().__init__()
        self.cfg = cfg
        self.router = Router(cfg)
        self.experts = nn.ModuleList(Expert(cfg) for _ in range(cfg.num_experts))

    def _rank_in_expert(self, experts):
        """Arrival order of every (token, slot) pair at its expert; used to drop overflow."""
        order = torch.argsort(experts.flatten(), stable=True)
        counts = torch.bincount(experts.flatten(), minlength=self.cfg.num_experts)
        starts = counts.cumsum(0) - counts
        slots = torch.arange(experts.numel()).to(starts)
        rank = torch.empty_like(order)
        rank[order] = slots - starts.repeat_interleave(counts)
        return rank.view_as(experts)

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        weights, experts, aux = self.router(x)
        capacity = int(self.cfg.capacity_factor * x.shape[0] * self.cfg.top_k / self.cfg.num_experts)
        fits = self._rank_in_expert(experts) < capacity

        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            token, slot = torch.where((experts == i) & fits)
            if token.numel() == 0:
                continue
            y = expert(x[token]) * weights[token, slot, None]
            out.index_add_(0, token, y)
        return out.view(shape), aux


class MoEModel(nn.Module):
    def __init__(self, cfg: MoEConfig):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.mix = nn.ModuleList(nn.Conv1d(cfg.dim, cfg.dim, 3, padding=1, groups=cfg.dim) for _ in range(cfg.num_layers))
        self.moe = nn.ModuleList(MoELayer(cfg) for _ in range(cfg.num_layers))
        self.out = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, ids):
        h = self.embed(ids)
        aux_total = torch.tensor(0.0)
        for conv, moe in zip(self.mix, self.moe):
            h = h + conv(h.transpose(1, 2)).transpose(1, 2)
            y, aux = moe(h)
            h = h + y
            aux_total = aux_total + aux
        return self.out(h), aux_total


def build(cfg: MoEConfig, device: str) -> MoEModel:
    torch.manual_seed(0)
    return MoEModel(cfg).to(device=device)


def main(device: str = "cuda" if torch.cuda.is_available() else "cpu"):
    cfg = MoEConfig()
    model = build(cfg, device)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(4):
        ids = torch.randint(cfg.vocab, (4, 16)).to(device)
        logits, aux = model(ids)
        loss = F.cross_entropy(logits.transpose(1, 2), ids.roll(-1, dims=1)) + cfg.aux_coef * aux
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, round(loss.item(), 4))
    for i, layer in enumerate(model.moe):
        print(f"layer {i} load:", layer.router.load.numpy().round(3))


if __name__ == "__main__":
    main()
