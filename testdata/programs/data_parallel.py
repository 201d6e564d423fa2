"""DDP with a process for each of two devices, started by `torch.multiprocessing.spawn`."""

import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

WORLD = 2


def train(rank, port):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port))
    dist.init_process_group("nccl", rank=rank, world_size=WORLD)
    torch.cuda.set_device(rank)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
    model = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(model).to(rank), device_ids=[rank])
    data = TensorDataset(torch.randn(32, 10), torch.randint(0, 2, (32,)))
    sampler = DistributedSampler(data, WORLD, rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        correct = torch.zeros(1, device=rank)
        # bug 2: correct = torch.zeros(1)  # born 2
        for features, labels in DataLoader(data, batch_size=8, sampler=sampler):  # born 1
            features, labels = features.to(rank), labels.to(rank)
            # bug 1: features = features.to(rank)
            logits = model(features)
            loss = nn.functional.cross_entropy(logits, labels)  # crash 1
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            correct += (logits.argmax(1) == labels).sum().item()
        dist.all_reduce(correct)  # crash 2
        if rank == 0:
            print(f"epoch {epoch}: {correct.item() / len(data):.2f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    mp.spawn(train, args=(port,), nprocs=WORLD)
