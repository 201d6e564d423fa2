"""A tiny inference server: one replica per device, requests batched per replica."""
import copy
import itertools
import queue
import threading
from concurrent.futures import Future
from typing import Dict, List, Optional, Tuple

import torch
import torch.nn as nn


class Ranker(nn.Module):
    def __init__(self, items: int = 40, dim: int = 16):
        super().__init__()
        self.item_emb = nn.Embedding(items, dim)
        self.user_mlp = nn.Sequential(nn.Linear(8, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, user: torch.Tensor, items: torch.Tensor) -> torch.Tensor:
        u = self.user_mlp(user)
        return torch.einsum("bd,bnd->bn", u, self.item_emb(items))


class Replica:
    def __init__(self, device: torch.device, model: nn.Module, max_batch: int = 4, timeout: float = 0.02):
        self.device = device
        self.model = model.eval()
        self.max_batch = max_batch
        self.timeout = timeout
        self.inbox: "queue.Queue[Optional[Tuple]]" = queue.Queue()
        self.served = 0
        self.thread = threading.Thread(target=self._loop, daemon=True, name=f"replica-{device}")
        self.thread.start()

    def _gather(self, first) -> List[Tuple]:
        jobs = [first]
        while len(jobs) < self.max_batch:
            try:
                job = self.inbox.get(timeout=self.timeout)
            except queue.Empty:
                break
            if job is None:
                self.inbox.put(None)
                break
            jobs.append(job)
        return jobs

    def _loop(self) -> None:
        while True:
            job = self.inbox.get()
            if job is None:
                return
            jobs = self._gather(job)
            try:
                scores = self._forward([j[0] for j in jobs], [j[1] for j in jobs])
            except Exception as exc:
                for _, _, fut in jobs:
                    fut.set_exception(exc)
                continue
            for (_, _, fut), row in zip(jobs, scores):
                fut.set_result(row.tolist())
            self.served += len(jobs)

    @torch.inference_mode()
    def _forward(self, users: List[torch.Tensor], items: List[torch.Tensor]) -> torch.Tensor:
        user = torch.stack(users).to(self.device)
        cand = torch.stack(items).to(self.device)
        return self.model(user, cand).softmax(-1).cpu()

    def stop(self) -> None:
        self.inbox.put(None)
        self.thread.join()


class Server:
    def __init__(self, model: nn.Module, devices: List[torch.device]):
        self.replicas: Dict[str, Replica] = {}
        for dev in devices:
            self.replicas[str(dev)] = Replica(dev, copy.deepcopy(model).to(dev))
        self._rr = itertools.cycle(self.replicas.values())

    def submit(self, user: torch.Tensor, items: torch.Tensor) -> Future:
        fut: Future = Future()
        next(self._rr).inbox.put((user, items, fut))
        return fut

    def shutdown(self) -> Dict[str, int]:
        for r in self.replicas.values():
            r.stop()
        return {name: r.served for name, r in self.replicas.items()}


def available_devices() -> List[torch.device]:
    gpus = [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
    return gpus + [torch.device("cpu")]


def main() -> None:
    torch.manual_seed(0)
    server = Server(Ranker(), available_devices())
    futures = [server.submit(torch.randn(8), torch.randint(0, 40, (5,))) for _ in range(8)]
    try:
        for i, fut in enumerate(futures):
            scores = fut.result(timeout=30)
            print(i, max(range(len(scores)), key=scores.__getitem__), round(max(scores), 3))
    finally:
        print(server.shutdown())


if __name__ == "__main__":
    main()
