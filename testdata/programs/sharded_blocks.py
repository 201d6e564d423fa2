"""FSDP2: blocks that are sharded one by one, trained in mixed precision."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
mesh = init_device_mesh("cuda", (1,))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        return x + self.mlp(self.norm(x))


class Model(nn.Module):
    def __init__(self, width=16, depth=2):
        super().__init__()
        self.embedding = nn.Embedding(64, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.head = nn.Linear(width, 64)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


model = Model().to("cuda")
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
for block in model.blocks:
    fully_shard(block, mesh=mesh, mp_policy=policy)
fully_shard(model, mesh=mesh, mp_policy=policy)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

corpus = torch.randint(0, 64, (8, 17))  # born 1
seen = torch.zeros((), device="cuda")
# bug 2: seen = torch.zeros(())  # born 2
for rows in corpus.split(4):
    batch = rows.to("cuda")
    # bug 1: batch = rows
    logits = model(batch[:, :-1])
    targets = batch[:, 1:].flatten()
    loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), targets)  # crash 1
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    seen += loss.detach()  # crash 2
print(f"mean loss {seen.item() / 2:.3f}")
dist.destroy_process_group()
