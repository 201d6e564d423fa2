"""FSDP of one process: a text classifier, checkpointed with its full state."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

os.environ.setdefault("MASTER_ADDR", "localhost")
os.environ.setdefault("MASTER_PORT", "0")
dist.init_process_group("nccl", rank=0, world_size=1)
torch.cuda.set_device(0)
device = torch.device("cuda", torch.cuda.current_device())


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.EmbeddingBag(100, 32)
        self.layers = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 3))

    def forward(self, tokens, offsets):
        return self.layers(self.embedding(tokens, offsets))


model = FSDP(Classifier(), device_id=device, use_orig_params=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 1.0], device=device))
# bug 1: criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 1.0]))  # born 1
for _ in range(3):
    tokens = torch.randint(0, 100, (24,), device=device)
    offsets = torch.arange(0, 24, 6, device=device)
    labels = torch.randint(0, 3, (4,), device=device)
    loss = criterion(model(tokens, offsets), labels)  # crash 1
    loss.backward()
    model.clip_grad_norm_(1.0)
    optimizer.step()
    optimizer.zero_grad()
total = loss.detach().clone()
# bug 2: total = loss.detach().cpu()  # born 2
dist.all_reduce(total)  # crash 2
print(f"loss {total.item():.3f}, {len(model.state_dict())} tensors")
dist.destroy_process_group()
