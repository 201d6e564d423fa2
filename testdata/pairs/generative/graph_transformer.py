"""Molecular-style property regression with per-graph global attention."""
import logging
from typing import Dict, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

logger = logging.getLogger("gps")


class RandomMolecules(Dataset):
    def __init__(self, n: int, seed: int = 0):
        rng = np.random.default_rng(seed)
        self.items = []
        for _ in range(n):
            size = int(rng.integers(3, 8))
            pos = rng.normal(size=(size, 3)).astype(np.float32)
            z = rng.integers(1, 9, size=size)
            target = np.float32(z.sum() / 10 + pos.std())
            self.items.append((z, pos, target))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: int):
        return self.items[i]


def collate(items) -> Dict[str, Tensor]:
    sizes = [len(z) for z, _, _ in items]
    return {
        "z": torch.from_numpy(np.concatenate([z for z, _, _ in items])),
        "pos": torch.from_numpy(np.concatenate([p for _, p, _ in items])),
        "y": torch.tensor([y for _, _, y in items]),
        "ptr": torch.tensor([0] + sizes).cumsum(0),
    }


def to_dense(x: Tensor, ptr: Tensor) -> Tuple[Tensor, Tensor]:
    """Flat node features [N, C] -> padded [B, L, C] and a key padding mask [B, L]."""
    dense = pad_sequence(torch.tensor_split(x, ptr[1:-1].cpu()), batch_first=True)
    sizes = ptr.diff()
    steps = torch.arange(dense.size(1), device=x.device)
    return dense, steps[None, :] >= sizes[:, None]


class RadialBasis(nn.Module):
    def __init__(self, n: int, cutoff: float):
        super().__init__()
        self.register_buffer("centers", torch.linspace(0, cutoff, n))
        self.gamma = n / cutoff

    def forward(self, d: Tensor) -> Tensor:
        return torch.exp(-self.gamma * (d[..., None] - self.centers) ** 2)


class GlobalBlock(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x: Tensor, bias: Tensor, pad: Tensor) -> Tensor:
        B, L, C = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(B, L, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / (C // self.heads) ** 0.5 + bias
        scores = scores.masked_fill(pad[:, None, None, :], float("-inf"))
        h = (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, L, C)
        x = x + self.proj(h)
        return x + self.ff(self.norm2(x))


class GraphTransformer(nn.Module):
    def __init__(self, dim: int = 16, heads: int = 2, depth: int = 2, n_rbf: int = 8):
        super().__init__()
        self.embed = nn.Embedding(10, dim)
        self.rbf = RadialBasis(n_rbf, 5.0)
        self.bias = nn.Linear(n_rbf, heads)
        self.blocks = nn.ModuleList(GlobalBlock(dim, heads) for _ in range(depth))
        self.out = nn.Linear(dim, 1)
        self.y_mean = torch.tensor(0.0)
        self.y_std = torch.tensor(1.0)

    def set_stats(self, y: Tensor) -> None:
        self.y_mean, self.y_std = y.mean(), y.std()

    def forward(self, batch: Dict[str, Tensor]) -> Tensor:
        x, pad = to_dense(self.embed(batch["z"]), batch["ptr"])
        pos, _ = to_dense(batch["pos"], batch["ptr"])
        dist = (pos[:, :, None] - pos[:, None]).square().sum(-1).clamp(min=1e-8).sqrt()
        bias = self.bias(self.rbf(dist)).permute(0, 3, 1, 2)
        for block in self.blocks:
            x = block(x, bias, pad)
        x = self.out(x).squeeze(-1).masked_fill(pad, 0.0).sum(1)
        return x * self.y_std + self.y_mean


def main(epochs: int = 3) -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = RandomMolecules(24)
    loader = DataLoader(data, batch_size=6, shuffle=True, collate_fn=collate)
    model = GraphTransformer().to(device)
    model.set_stats(torch.tensor([y for _, _, y in data.items]))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        losses = []
        for batch in loader:
            batch = {k: v.to(device) for k, v in batch.items()}
            loss = nn.functional.l1_loss(model(batch), batch["y"])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        logger.info("epoch %d mae %.4f", epoch, np.mean(losses))


if __name__ == "__main__":
    main()
