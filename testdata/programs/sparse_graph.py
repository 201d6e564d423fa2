"""A two-layer graph network with a sparse, normalised adjacency."""

import torch
import torch.nn.functional as F
from torch import nn

NODES, FEATURES, CLASSES = 30, 12, 4
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def normalised(edges, nodes):
    loops = torch.arange(nodes, device=edges.device).expand(2, -1)
    # bug 1: loops = torch.arange(nodes).expand(2, -1)  # born 1
    edges = torch.cat([edges, edges.flip(0), loops], dim=1)  # crash 1
    degree = torch.zeros(nodes, device=edges.device)
    degree.scatter_add_(0, edges[0], torch.ones(edges.shape[1], device=edges.device))
    scale = degree.pow(-0.5)
    values = scale[edges[0]] * scale[edges[1]]
    return torch.sparse_coo_tensor(edges, values, (nodes, nodes)).coalesce()


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(FEATURES, 16)
        self.second = nn.Linear(16, CLASSES)

    def forward(self, adjacency, x):
        hidden = F.relu(torch.sparse.mm(adjacency, self.first(x)))
        return torch.sparse.mm(adjacency, self.second(F.dropout(hidden, 0.5, self.training)))


edges = torch.randint(0, NODES, (2, 90)).to(device)
adjacency = normalised(edges, NODES)
features = torch.randn(NODES, FEATURES, device=device)
labels = torch.randint(0, CLASSES, (NODES,), device=device)
train = torch.rand(NODES, device=device) < 0.5
rows = adjacency.to_sparse_csr()
model = GCN().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
weights = torch.ones(CLASSES, device=device)
# bug 2: weights = torch.ones(CLASSES)  # born 2
for _ in range(3):
    logits = model(adjacency, features)
    loss = F.cross_entropy(logits[train], labels[train], weight=weights)  # crash 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
smooth = rows @ logits.detach()
print((smooth.argmax(1) == labels)[~train].float().mean().item())
