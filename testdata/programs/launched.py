"""A script for torchrun that starts itself by it, and saves a snapshot to resume from."""

import os
import subprocess
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

LAUNCHER = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    model = DistributedDataParallel(nn.Linear(6, 3).to(device), device_ids=[local_rank])
    # bug 1: model = DistributedDataParallel(nn.Linear(6, 3))  # crash 1, born 1
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(2):
        features = torch.randn(4, 6, device=device)
        loss = model(features).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(), "loss": loss.item()}, "snapshot.pt")
    dist.barrier()
    snapshot = torch.load("snapshot.pt", map_location=device)
    # bug 2: snapshot = torch.load("snapshot.pt", map_location="cpu")  # born 2
    model.module.load_state_dict(snapshot["model"])
    drift = model.module.weight.detach() - snapshot["model"]["weight"]  # crash 2
    gathered = [torch.empty((), device=device) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, drift.abs().max())
    print(f"rank {dist.get_rank()}: {max(gathered).item():.1e}")
    dist.destroy_process_group()


if __name__ == "__main__":
    if "LOCAL_RANK" in os.environ:
        main()
    else:
        sys.exit(subprocess.run([sys.executable, *LAUNCHER, __file__]).returncode)
