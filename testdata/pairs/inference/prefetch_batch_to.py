"""Click prediction scoring job: background thread builds batches, main thread runs the network."""
import csv
import dataclasses
import io
import queue
import threading
from typing import Iterator, List, Optional

import numpy as np
import torch
import torch.nn as nn


@dataclasses.dataclass(frozen=True)
class Batch:
    keys: List[str]
    dense: torch.Tensor
    sparse: torch.Tensor
    weight: Optional[torch.Tensor] = None

    def to(self, device) -> "Batch":
        moved = {f.name: getattr(self, f.name).to(device)
                 for f in dataclasses.fields(self)
                 if torch.is_tensor(getattr(self, f.name))}
        return dataclasses.replace(self, **moved)

    def __len__(self):
        return len(self.keys)


class WideDeep(nn.Module):
    def __init__(self, dense_dim: int, cardinalities: List[int], dim: int = 8):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(c, dim) for c in cardinalities)
        self.wide = nn.Linear(dense_dim, 1)
        self.deep = nn.Sequential(nn.Linear(dense_dim + dim * len(cardinalities), 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, dense, sparse):
        emb = [table(sparse[:, i]) for i, table in enumerate(self.tables)]
        deep = self.deep(torch.cat([dense, *emb], dim=1))
        return (self.wide(dense) + deep).squeeze(1)


class Prefetcher:
    _END = object()

    def __init__(self, source: Iterator[List[dict]], depth: int = 2):
        self.source = source
        self.q: "queue.Queue" = queue.Queue(maxsize=depth)
        self.error: Optional[BaseException] = None
        threading.Thread(target=self._work, daemon=True).start()

    def _build(self, rows: List[dict]) -> Batch:
        dense = torch.from_numpy(np.stack([r["dense"] for r in rows]))
        return Batch(
            keys=[r["key"] for r in rows],
            dense=torch.log1p(dense.clamp(min=0)),
            sparse=torch.tensor([r["sparse"] for r in rows], dtype=torch.long),
            weight=torch.tensor([r["weight"] for r in rows]),
        )

    def _work(self) -> None:
        try:
            for rows in self.source:
                self.q.put(self._build(rows))
        except BaseException as e:
            self.error = e
        finally:
            self.q.put(self._END)

    def __iter__(self):
        while (item := self.q.get()) is not self._END:
            yield item
        if self.error is not None:
            raise self.error


class ScoringJob:
    def __init__(self, model: nn.Module, device: torch.device):
        self.device = device
        self.model = model.to(device)
        self.model.eval()
        self.weighted_sum = torch.zeros(2, dtype=torch.float64)

    @torch.inference_mode()
    def score(self, batches, out) -> int:
        writer = csv.writer(out)
        n = 0
        for batch in batches:
            batch = batch.to(self.device)
            prob = self.model(batch.dense, batch.sparse).sigmoid()
            if batch.weight is not None:
                totals = torch.stack([(prob * batch.weight).sum(), batch.weight.sum()])
                self.weighted_sum += totals.double().cpu()
            writer.writerows(zip(batch.keys, (f"{p:.4f}" for p in prob.tolist())))
            n += len(batch)
        return n


def fake_log(n: int, batch: int, cards: List[int]) -> Iterator[List[dict]]:
    rng = np.random.default_rng(5)
    for start in range(0, n, batch):
        yield [{
            "key": f"imp-{start + i:04d}",
            "dense": rng.exponential(size=4).astype(np.float32),
            "sparse": [int(rng.integers(c)) for c in cards],
            "weight": float(rng.uniform(0.5, 1.5)),
        } for i in range(min(batch, n - start))]


def main():
    torch.manual_seed(0)
    cards = [10, 20, 5]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    job = ScoringJob(WideDeep(4, cards), device)
    sink = io.StringIO()
    n = job.score(Prefetcher(fake_log(30, 8, cards)), sink)
    num, den = job.weighted_sum.tolist()
    print(f"{n} rows, mean CTR {num / den:.4f}")
    print(sink.getvalue().splitlines()[0])


if __name__ == "__main__":
    main()
