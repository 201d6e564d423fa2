"""Two layers of graph convolution over an edge list."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def degree(index: Tensor, count: int) -> Tensor:
    out = torch.zeros(count, device=index.device)
    return out.scatter_add_(0, index, torch.ones(index.numel(), device=index.device))


def with_self_loops(edges: Tensor, count: int) -> Tensor:
    loops = torch.arange(count, device=edges.device)
    return torch.cat([edges, torch.stack([loops, loops])], dim=1)


class GraphConv(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        source, target = with_self_loops(edges, x.size(0))
        norm = degree(target, x.size(0)).pow(-0.5)
        messages = (x @ self.weight)[source] * (norm[source] * norm[target]).unsqueeze(1)
        out = x.new_zeros(x.size(0), self.weight.size(1))
        return out.index_add(0, target, messages) + self.bias


class GCN(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = GraphConv(5, 8)
        self.conv2 = GraphConv(8, 3)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        return self.conv2(F.relu(self.conv1(x, edges)), edges)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
features = torch.randn(10, 5).to(device)
edges = torch.randint(0, 10, (2, 30)).to(device)
labels = torch.randint(0, 3, (10,), device=device)
train_mask = torch.zeros(10, dtype=torch.bool)
train_mask[:6] = True

model = GCN().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for _ in range(3):
    optimizer.zero_grad()
    out = model(features, edges)
    loss = F.cross_entropy(out[train_mask], labels[train_mask])
    loss.backward()
    optimizer.step()
print(loss.item())
