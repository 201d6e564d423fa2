"""Graph classification by PyTorch Geometric: batches, pooling, attention and a virtual feature."""

import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, global_mean_pool
from torch_geometric.utils import degree, to_undirected

device = torch.device("cuda")


def graph(label):
    nodes = int(torch.randint(4, 9, ()))
    edges = to_undirected(torch.randint(0, nodes, (2, 12)), num_nodes=nodes)
    return Data(x=torch.randn(nodes, 5), edge_index=edges, y=torch.tensor([label]))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = GCNConv(6, 16)  # born 1
        self.second = GATConv(16, 8, heads=2)
        self.out = torch.nn.Linear(16, 2)

    def forward(self, data):
        degrees = degree(data.edge_index[1], data.num_nodes)
        x = torch.cat([data.x, degrees[:, None]], dim=1)
        x = F.elu(self.first(x, data.edge_index))  # crash 1
        x = F.elu(self.second(x, data.edge_index))
        batch = data.batch
        # bug 2: batch = torch.zeros(data.num_nodes, dtype=torch.long)  # born 2
        return self.out(global_mean_pool(x, batch))  # crash 2


graphs = [graph(index % 2) for index in range(16)]
train = DataLoader(graphs[:12], batch_size=4, shuffle=True)
test = DataLoader(graphs[12:], batch_size=4)
model = Net().to(device)
# bug 1: model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(2):
    model.train()
    for data in train:
        data = data.to(device)
        loss = F.cross_entropy(model(data), data.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(d.to(device)).argmax(1) == d.y.to(device)).sum().item() for d in test)
    print(f"epoch {epoch}: {right}/4")
