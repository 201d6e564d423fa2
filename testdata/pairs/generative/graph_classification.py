from dataclasses import dataclass
from typing import List, Optional, Union

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


@dataclass
class Graph:
    x: torch.Tensor
    edge_index: torch.Tensor
    edge_attr: torch.Tensor
    y: int


@dataclass
class GraphBatch:
    x: torch.Tensor
    edge_index: torch.Tensor
    edge_attr: torch.Tensor
    y: torch.Tensor
    batch: torch.Tensor
    num_graphs: int

    @classmethod
    def collate(cls, graphs: List[Graph]) -> "GraphBatch":
        sizes = torch.tensor([g.x.size(0) for g in graphs])
        offsets = F.pad(sizes.cumsum(0), (1, 0))[:-1]
        return cls(
            x=torch.cat([g.x for g in graphs]),
            edge_index=torch.cat([g.edge_index + o for g, o in zip(graphs, offsets)], dim=1),
            edge_attr=torch.cat([g.edge_attr for g in graphs]),
            y=torch.tensor([g.y for g in graphs]),
            batch=torch.repeat_interleave(torch.arange(len(graphs)), sizes),
            num_graphs=len(graphs),
        )

    def pin_memory(self) -> "GraphBatch":
        return self

    def to(self, device: Union[str, torch.device], non_blocking: bool = False) -> "GraphBatch":
        for name in ("x", "edge_index", "edge_attr", "y", "batch"):
            setattr(self, name, getattr(self, name).to(device, non_blocking=non_blocking))
        return self


def scatter_sum(src: torch.Tensor, index: torch.Tensor, dim_size: int) -> torch.Tensor:
    out = src.new_zeros((dim_size,) + src.shape[1:])
    return out.index_add_(0, index, src)


def global_mean_pool(x: torch.Tensor, batch: torch.Tensor, size: int) -> torch.Tensor:
    total = scatter_sum(x, batch, size)
    count = scatter_sum(x.new_ones(x.size(0), 1), batch, size)
    return total / count.clamp(min=1)


class GINEConv(nn.Module):
    def __init__(self, dim: int, edge_dim: int):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.lin_edge = nn.Linear(edge_dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.BatchNorm1d(dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, x, edge_index, edge_attr):
        src, dst = edge_index
        msg = F.relu(x[src] + self.lin_edge(edge_attr))
        return self.mlp((1 + self.eps) * x + scatter_sum(msg, dst, x.size(0)))


class GIN(nn.Module):
    def __init__(self, in_dim: int, edge_dim: int, hidden: int, num_classes: int, depth: int = 2,
                 virtual_node: Optional[bool] = False):
        super().__init__()
        self.embed = nn.Linear(in_dim, hidden)
        self.convs = nn.ModuleList(GINEConv(hidden, edge_dim) for _ in range(depth))
        self.head = nn.Linear(hidden, num_classes)

    def forward(self, data: GraphBatch):
        h = self.embed(data.x)
        for conv in self.convs:
            h = h + F.dropout(conv(h, data.edge_index, data.edge_attr), 0.1, self.training)
        return self.head(global_mean_pool(h, data.batch, data.num_graphs))


def random_graph(label: int, gen: torch.Generator) -> Graph:
    n = int(torch.randint(4, 9, (1,), generator=gen))
    ring = torch.arange(n)
    edge_index = torch.stack([ring, ring.roll(1)])
    if label:
        chords = torch.randint(n, (2, n), generator=gen)
        edge_index = torch.cat([edge_index, chords], dim=1)
    edge_index = torch.cat([edge_index, edge_index.flip(0)], dim=1)
    return Graph(torch.randn(n, 5, generator=gen), edge_index,
                 torch.rand(edge_index.size(1), 3, generator=gen), label)


def evaluate(model, loader, device):
    model.eval()
    correct, predictions = 0, []
    with torch.no_grad():
        for data in loader:
            data = data.to(device)
            pred = model(data).argmax(-1)
            correct += int((pred == data.y).sum())
            predictions.extend(pred.tolist())
    return correct / len(predictions)


def main():
    gen = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    graphs = [random_graph(i % 2, gen) for i in range(32)]
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    train = DataLoader(graphs[:24], batch_size=8, shuffle=True, collate_fn=GraphBatch.collate)
    test = DataLoader(graphs[24:], batch_size=8, collate_fn=GraphBatch.collate)
    model = GIN(5, 3, 16, 2).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        model.train()
        for data in train:
            data = data.to(device, non_blocking=True)
            loss = F.cross_entropy(model(data), data.y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.3f} acc {evaluate(model, test, device):.2f}")


if __name__ == "__main__":
    main()
