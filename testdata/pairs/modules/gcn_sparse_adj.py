from dataclasses import dataclass
from typing import Optional

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GraphData:
    x: torch.Tensor
    y: torch.Tensor
    adj: torch.Tensor
    train_mask: torch.Tensor
    test_mask: torch.Tensor
    edge_index: Optional[np.ndarray] = None

    @property
    def num_nodes(self) -> int:
        return self.x.size(0)

    def to(self, device) -> "GraphData":
        return GraphData(
            x=self.x.to(device),
            y=self.y.to(device),
            adj=self.adj.to(device),
            train_mask=self.train_mask,
            test_mask=self.test_mask,
            edge_index=self.edge_index,
        )


def random_graph(n: int, n_feat: int, n_class: int, p_in=0.2, p_out=0.02, seed=0) -> GraphData:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_class, n)
    same = y[:, None] == y[None]
    a = np.triu(rng.random((n, n)) < np.where(same, p_in, p_out), 1)
    edges = np.stack(np.nonzero(a | a.T))
    x = rng.standard_normal((n, n_feat)).astype(np.float32) + 0.3 * np.eye(n_class, n_feat, dtype=np.float32)[y]
    train = np.zeros(n, dtype=bool)
    train[rng.permutation(n)[: n // 3]] = True
    return GraphData(
        x=torch.from_numpy(x),
        y=torch.from_numpy(y),
        adj=normalized_adjacency(torch.from_numpy(edges), n),
        train_mask=torch.from_numpy(train),
        test_mask=torch.from_numpy(~train),
        edge_index=edges,
    )


def normalized_adjacency(edges: torch.Tensor, n: int) -> torch.Tensor:
    loops = torch.arange(n).repeat(2, 1)
    idx = torch.cat([edges, loops], dim=1)
    deg = torch.bincount(idx[0], minlength=n).float()
    norm = deg.pow(-0.5)
    val = norm[idx[0]] * norm[idx[1]]
    return torch.sparse_coo_tensor(idx, val, (n, n)).coalesce()


class GraphConvolution(nn.Module):
    def __init__(self, in_features: int, out_features: int, bias: bool = True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = self.weight.size(1) ** -0.5
        nn.init.uniform_(self.weight, -stdv, stdv)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, x, adj):
        support = x @ self.weight
        out = torch.sparse.mm(adj, support)
        return out if self.bias is None else out + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout=0.5):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass, bias=False)
        self.dropout = dropout

    def forward(self, data: GraphData):
        h = F.dropout(data.x, self.dropout, self.training)
        h = F.relu(self.gc1(h, data.adj))
        h = F.dropout(h, self.dropout, self.training)
        return F.log_softmax(self.gc2(h, data.adj), dim=1)


def fit(model, data, epochs=20, lr=0.02):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=5e-4)
    train_idx = data.train_mask.nonzero().flatten()
    for epoch in range(epochs):
        model.train()
        logp = model(data)
        loss = F.nll_loss(logp[train_idx], data.y[train_idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch % 5 == 0:
            print(f"epoch {epoch:02d} loss {loss.item():.4f} test {test(model, data):.3f}")


@torch.no_grad()
def test(model, data):
    model.eval()
    pred = model(data).argmax(dim=1)
    hits = pred[data.test_mask] == data.y[data.test_mask]
    return int(hits.sum()) / int(data.test_mask.sum())


def main():
    torch.manual_seed(0)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    data = random_graph(60, 16, 3)
    print(f"{data.num_nodes} nodes, {data.edge_index.shape[1]} edges")
    data = data.to(device)
    model = GCN(data.x.size(1), 16, 3).to(device)
    fit(model, data)


if __name__ == "__main__":
    main()
