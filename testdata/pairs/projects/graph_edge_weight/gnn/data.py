import numpy as np
import torch

from gnn.utils import index_to_mask


class Graph(object):
    def __init__(self, x, edge_index, y, edge_weight=None):
        self.x = x
        self.edge_index = edge_index
        self.y = y
        self.edge_weight = edge_weight
        self.train_mask = self.val_mask = None

    @property
    def num_nodes(self):
        return self.x.size(0)

    def split(self, train_frac=0.4):
        perm = torch.randperm(self.num_nodes)
        k = int(train_frac * self.num_nodes)
        self.train_mask = index_to_mask(perm[:k], self.num_nodes)
        self.val_mask = index_to_mask(perm[k:], self.num_nodes)
        return self

    def to(self, device):
        for key in ('x', 'edge_index', 'edge_weight', 'y', 'train_mask', 'val_mask'):
            value = getattr(self, key)
            if value is not None:
                setattr(self, key, value.to(device))
        return self


def random_sbm_graph(n, blocks, feat_dim, p_in=0.3, p_out=0.03, weighted=True):
    y = np.random.randint(0, blocks, size=n)
    prob = np.where(y[:, None] == y[None, :], p_in, p_out)
    adj = np.triu(np.random.rand(n, n) < prob, k=1)
    src, dst = np.nonzero(adj | adj.T)
    centers = np.random.randn(blocks, feat_dim)
    x = centers[y] + np.random.randn(n, feat_dim)
    weight = torch.from_numpy(np.random.uniform(0.5, 1.5, size=len(src))).float() if weighted else None
    graph = Graph(torch.FloatTensor(x), torch.from_numpy(np.stack([src, dst])), torch.LongTensor(y), weight)
    return graph.split()
