import math

import torch
import torch.nn as nn

from gnn.utils import add_self_loops


class GraphConvolution(nn.Module):
    """Simple GCN layer, similar to https://arxiv.org/abs/1609.02907"""

    def __init__(self, in_features, out_features):
        super(GraphConvolution, self).__init__()
        self.weight = nn.Parameter(torch.FloatTensor(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        stdv = 1. / math.sqrt(out_features)
        self.weight.data.uniform_(-stdv, stdv)

    def norm(self, edge_index, edge_weight, num_nodes, dtype):
        row, col = edge_index
        deg = torch.zeros(num_nodes, dtype=dtype, device=edge_index.device)
        deg.scatter_add_(0, row, edge_weight)
        inv = deg.pow(-0.5)
        inv[inv == float('inf')] = 0
        return inv[row] * edge_weight * inv[col]

    def forward(self, x, edge_index, edge_weight=None):
        if edge_weight is None:
            edge_weight = torch.ones(edge_index.size(1), dtype=x.dtype, device=x.device)
        edge_index, edge_weight = add_self_loops(edge_index, edge_weight, x.size(0))
        w = self.norm(edge_index, edge_weight, x.size(0), x.dtype)
        support = torch.mm(x, self.weight)
        out = torch.zeros_like(support)
        out.index_add_(0, edge_index[1], support[edge_index[0]] * w.unsqueeze(1))
        return out + self.bias
