"""Contrastive activation addition on a toy language model."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Callable

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        shifted = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], dim=1)
        return x + self.mlp(self.ln(x + 0.5 * shifted))


class ToyLM(nn.Module):
    def __init__(self, vocab: int = 32, d: int = 24, n_layers: int = 3):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.blocks = nn.ModuleList(Block(d) for _ in range(n_layers))
        self.unembed = nn.Linear(d, vocab)

    def forward(self, ids):
        x = self.embed(ids)
        for b in self.blocks:
            x = b(x)
        return self.unembed(x)


class ActivationCache:
    """Residual stream after each block, at the last position of every prompt."""

    def __init__(self, model: ToyLM):
        self.model = model
        self._acts: dict[int, list[torch.Tensor]] = {}

    def _hook(self, layer: int) -> Callable:
        def fn(module, args, output):
            self._acts.setdefault(layer, []).append(output[:, -1].detach().cpu())
        return fn

    @torch.no_grad()
    def run(self, prompts: torch.Tensor, batch_size: int = 4) -> dict[int, torch.Tensor]:
        self._acts = {}
        handles = [b.register_forward_hook(self._hook(i)) for i, b in enumerate(self.model.blocks)]
        try:
            for chunk in prompts.split(batch_size):
                self.model(chunk)
        finally:
            for h in handles:
                h.remove()
        return {layer: torch.cat(acts) for layer, acts in self._acts.items()}


class SteeringVectors:
    def __init__(self, vectors: dict[int, torch.Tensor]):
        self.vectors = vectors

    @classmethod
    def from_contrast(cls, cache: ActivationCache, positive: torch.Tensor, negative: torch.Tensor):
        pos, neg = cache.run(positive), cache.run(negative)
        return cls({k: pos[k].mean(0) - neg[k].mean(0) for k in pos})

    def strongest_layer(self) -> int:
        norms = {k: v.norm().item() for k, v in self.vectors.items()}
        return max(norms, key=norms.get)

    @contextmanager
    def apply(self, model: ToyLM, layer: int, scale: float):
        vector = self.vectors[layer]
        direction = vector / vector.norm()

        def steer(module, args, output):
            return output + scale * direction.to(output.device)

        handle = model.blocks[layer].register_forward_hook(steer)
        try:
            yield
        finally:
            handle.remove()


@torch.no_grad()
def greedy(model: ToyLM, ids: torch.Tensor, steps: int) -> list[int]:
    start = ids.shape[1]
    for _ in range(steps):
        nxt = model(ids)[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, nxt], dim=1)
    return ids[0, start:].tolist()


def main(device: str | None = None):
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model = ToyLM().to(device).eval()
    positive = torch.randint(0, 16, (10, 6), device=device)
    negative = torch.randint(16, 32, (10, 6), device=device)
    steering = SteeringVectors.from_contrast(ActivationCache(model), positive, negative)
    layer = steering.strongest_layer()

    prompt = torch.randint(0, 32, (1, 4), device=device)
    print("base    ", greedy(model, prompt, 6))
    for scale in (-4.0, 4.0):
        with steering.apply(model, layer, scale):
            print(f"L{layer} {scale:+.1f}", greedy(model, prompt, 6))


if __name__ == "__main__":
    main()
