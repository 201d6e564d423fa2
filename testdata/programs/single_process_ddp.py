"""DDP of one process, with a hook that compresses gradients and a weighted multi-task loss."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
dist.init_process_group("nccl")
device = torch.device("cuda:0")


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.GRU(4, 12, batch_first=True)
        self.heads = nn.ModuleDict({"level": nn.Linear(12, 1), "trend": nn.Linear(12, 1)})
        self.offsets = nn.ParameterList([nn.Parameter(torch.zeros(1)) for _ in self.heads])
        # bug 1: self.offsets = [torch.zeros(1) for _ in self.heads]  # born 1

    def forward(self, series, state):
        _, last = self.body(series, state)  # crash 2
        pairs = zip(self.heads.values(), self.offsets)
        return torch.cat([head(last[0]) + offset for head, offset in pairs], dim=1)  # crash 1


model = DistributedDataParallel(TwoHeads().to(device), device_ids=[0])
# bug 2: model = DistributedDataParallel(TwoHeads().to(device))
model.register_comm_hook(None, default_hooks.fp16_compress_hook)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
balance = torch.tensor([0.7, 0.3], device=device)
for step in range(4):
    series = torch.randn(6, 10, 4, device=device)
    state = torch.zeros(1, 6, 12, device=device)
    # bug 2: state = torch.zeros(1, 6, 12)  # born 2
    targets = torch.stack([series.mean((1, 2)), series[:, -1, 0]], dim=1)
    with model.no_sync() if step % 2 == 0 else torch.enable_grad():
        loss = ((model(series, state) - targets).square().mean(0) * balance).sum()
        loss.backward()
    if step % 2:
        optimizer.step()
        optimizer.zero_grad()
print(f"loss {loss.item():.3f}")
dist.destroy_process_group()
