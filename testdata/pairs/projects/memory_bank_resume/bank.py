import math

import torch
import torch.nn.functional as F


class MemoryBank:
    def __init__(self, n, dim, momentum, device):
        stdv = 1. / math.sqrt(dim / 3)
        self.features = torch.rand(n, dim, device=device).mul_(2 * stdv).add_(-stdv)
        self.momentum = momentum
        self.seen = torch.zeros(n, dtype=torch.long)

    def __len__(self):
        return self.features.size(0)

    @torch.no_grad()
    def update(self, index, feat):
        old = self.features.index_select(0, index)
        new = F.normalize(self.momentum * old + (1 - self.momentum) * feat, dim=1)
        self.features.index_copy_(0, index, new)
        self.seen[index.cpu()] += 1

    def state_dict(self):
        return {'features': self.features, 'seen': self.seen, 'momentum': self.momentum}

    def load_state_dict(self, state):
        assert state['features'].shape == self.features.shape
        self.features.copy_(state['features'])
        self.seen = state['seen']
        self.momentum = state['momentum']
