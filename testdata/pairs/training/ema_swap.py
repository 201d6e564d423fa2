from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Iterator

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass
class TrainConfig:
    vocab: int = 40
    dim: int = 24
    heads: int = 2
    seq_len: int = 12
    batch: int = 16
    lr: float = 1e-3
    ema_decay: float = 0.98
    eval_every: int = 3
    steps: int = 6
    device: str = field(default_factory=lambda: "cuda:0" if torch.cuda.is_available() else "cpu")


class Block(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        att = q @ k.transpose(-2, -1) / (d // self.heads) ** 0.5
        mask = torch.ones(t, t, device=x.device, dtype=torch.bool).tril()
        att = att.masked_fill(~mask, float("-inf")).softmax(-1)
        x = x + self.proj((att @ v).transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class TinyLM(nn.Module):
    def __init__(self, cfg: TrainConfig) -> None:
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Parameter(torch.zeros(cfg.seq_len, cfg.dim))
        self.block = Block(cfg.dim, cfg.heads)
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)
        self.head.weight = self.tok.weight

    def forward(self, ids: Tensor) -> Tensor:
        h = self.tok(ids) + self.pos[: ids.shape[1]]
        return self.head(self.block(h))


class HostEMA:
    """Keeps the averaged weights in host memory so that they cost nothing on the accelerator."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.shadow = {n: p.detach().to("cpu", copy=True) for n, p in model.named_parameters()}
        self.backup: dict[str, Tensor] = {}

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        for n, p in model.named_parameters():
            self.shadow[n].lerp_(p.detach().cpu(), 1.0 - self.decay)

    def store_and_apply(self, model: nn.Module) -> None:
        for n, p in model.named_parameters():
            self.backup[n] = p.data.clone()
            p.data.copy_(self.shadow[n])

    def restore(self, model: nn.Module) -> None:
        for n, p in model.named_parameters():
            p.data = self.backup.pop(n)

    @contextmanager
    def average_parameters(self, model: nn.Module) -> Iterator[None]:
        self.store_and_apply(model)
        try:
            yield
        finally:
            self.restore(model)


class Trainer:
    def __init__(self, cfg: TrainConfig) -> None:
        self.cfg = cfg
        self.model = TinyLM(cfg).to(cfg.device)
        self.ema = HostEMA(self.model, cfg.ema_decay)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, betas=(0.9, 0.95))

    def batch(self) -> Tensor:
        return torch.randint(0, self.cfg.vocab, (self.cfg.batch, self.cfg.seq_len + 1))

    def loss(self, ids: Tensor) -> Tensor:
        ids = ids.to(self.cfg.device, non_blocking=True)
        logits = self.model(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())

    @torch.no_grad()
    def evaluate(self, n: int = 2) -> float:
        self.model.eval()
        total = torch.stack([self.loss(self.batch()) for _ in range(n)]).mean()
        self.model.train()
        return total.item()

    def fit(self) -> None:
        for step in range(1, self.cfg.steps + 1):
            loss = self.loss(self.batch())
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            self.ema.update(self.model)
            if step % self.cfg.eval_every == 0:
                with self.ema.average_parameters(self.model):
                    val = self.evaluate()
                print(f"step {step}: train {loss.item():.3f} ema val {val:.3f}")


if __name__ == "__main__":
    torch.manual_seed(1337)
    Trainer(TrainConfig()).fit()
