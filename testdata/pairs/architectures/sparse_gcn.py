"""Graph convolutions on edge lists."""
import math
from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def num_nodes_of(edge_index: Tensor, num_nodes: Optional[int] = None) -> int:
    if num_nodes is not None:
        return num_nodes
    return int(edge_index.max()) + 1 if edge_index.numel() > 0 else 0


def add_self_loops(edge_index: Tensor, num_nodes: int) -> Tensor:
    loop = torch.arange(num_nodes, dtype=edge_index.dtype, device=edge_index.device)
    return torch.cat([edge_index, loop.unsqueeze(0).repeat(2, 1)], dim=1)


def scatter_sum(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    out = src.new_zeros((dim_size,) + src.shape[1:])
    return out.index_add_(0, index, src)


def degree(index: Tensor, num_nodes: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return scatter_sum(torch.ones(index.numel(), dtype=dtype, device=index.device), index, num_nodes)


def gcn_norm(edge_index: Tensor, num_nodes: int, edge_weight: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    """Symmetric normalisation with self loops."""
    n_edges = edge_index.size(1)
    edge_index = add_self_loops(edge_index, num_nodes)
    if edge_weight is None:
        edge_weight = torch.ones(edge_index.size(1), device=edge_index.device)
    else:
        assert edge_weight.numel() == n_edges
        edge_weight = torch.cat([edge_weight, edge_weight.new_ones(num_nodes)])
    row, col = edge_index
    deg_inv_sqrt = scatter_sum(edge_weight, col, num_nodes).pow(-0.5)
    deg_inv_sqrt = deg_inv_sqrt.masked_fill(deg_inv_sqrt == float("inf"), 0)
    return edge_index, deg_inv_sqrt[row] * edge_weight * deg_inv_sqrt[col]


def to_adjacency(edge_index: Tensor, value: Optional[Tensor] = None, num_nodes: Optional[int] = None) -> Tensor:
    """Sparse COO matrix A with ``A[dst, src] = value``."""
    n = num_nodes_of(edge_index, num_nodes)
    if value is None:
        value = torch.ones(edge_index.size(1), device=edge_index.device)
    return torch.sparse_coo_tensor(edge_index.flip(0), value, (n, n)).coalesce()


def random_walk_operators(edge_index: Tensor, num_nodes: int, hops: int) -> Tensor:
    """Dense (hops, n, n) powers of the random walk matrix, for small graphs in data preparation."""
    adj = torch.zeros(num_nodes, num_nodes)
    adj[edge_index[0].cpu(), edge_index[1].cpu()] = 1.0
    walk = adj / adj.sum(1, keepdim=True).clamp(min=1)
    powers = [walk]
    for _ in range(hops - 1):
        powers.append(powers[-1] @ walk)
    return torch.stack(powers)


class GraphConv(nn.Module):
    """Base of the layers: ``out = propagate(lin(x))``."""

    def __init__(self, in_channels: int, out_channels: int, bias: bool = True):
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = math.sqrt(6.0 / (self.in_channels + self.out_channels))
        nn.init.uniform_(self.lin.weight, -bound, bound)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def propagate(self, x: Tensor, edge_index: Tensor, edge_weight: Optional[Tensor]) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Optional[Tensor] = None) -> Tensor:
        out = self.propagate(self.lin(x), edge_index, edge_weight)
        return out if self.bias is None else out + self.bias

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels})"


class GCNConv(GraphConv):
    def propagate(self, x, edge_index, edge_weight):
        edge_index, weight = gcn_norm(edge_index, x.size(0), edge_weight)
        return torch.sparse.mm(to_adjacency(edge_index, weight, x.size(0)), x)


class SumConv(GraphConv):
    """GIN style aggregation with a learned weight of the node itself."""

    def __init__(self, in_channels: int, out_channels: int, bias: bool = True):
        super().__init__(in_channels, out_channels, bias)
        self.eps = nn.Parameter(torch.zeros(1))

    def propagate(self, x, edge_index, edge_weight):
        adj = to_adjacency(edge_index, edge_weight, x.size(0))
        return (1 + self.eps) * x + torch.sparse.mm(adj, x)


class MeanConv(GraphConv):
    def propagate(self, x, edge_index, edge_weight):
        src, dst = edge_index
        msg = x[src] if edge_weight is None else x[src] * edge_weight[:, None]
        return scatter_sum(msg, dst, x.size(0)) / degree(dst, x.size(0)).clamp(min=1)[:, None]


CONVS = {"gcn": GCNConv, "sum": SumConv, "mean": MeanConv}


class GNN(nn.Module):
    def __init__(self, in_channels: int, hidden: int, out_channels: int, num_layers: int = 2, conv: str = "gcn",
                 dropout: float = 0.5, jk: bool = False):
        super().__init__()
        if conv not in CONVS:
            raise ValueError(f"conv must be one of {list(CONVS)}")
        dims = [in_channels] + [hidden] * num_layers
        self.convs = nn.ModuleList(CONVS[conv](a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(num_layers))
        self.dropout, self.jk = dropout, jk
        self.head = nn.Linear(hidden * num_layers if jk else hidden, out_channels)

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Optional[Tensor] = None,
                batch: Optional[Tensor] = None) -> Tensor:
        states = []
        for conv, norm in zip(self.convs, self.norms):
            x = F.dropout(norm(conv(x, edge_index, edge_weight)).relu(), self.dropout, self.training)
            states.append(x)
        x = torch.cat(states, dim=-1) if self.jk else x
        if batch is not None:
            x = scatter_sum(x, batch, int(batch.max()) + 1)
        return self.head(x)
