import numpy as np
import torch

from .distances import same_label

MINERS = {}


def _register(name):
    def inner(cls):
        MINERS[name] = cls
        return cls
    return inner


class BaseMiner:
    """Returns, for each anchor, the column of its positive and of its negative."""

    def __init__(self, margin):
        self.margin = margin

    def __call__(self, dist, labels):
        with torch.no_grad():
            return self.mine(dist.detach(), labels)


@_register("hard")
class BatchHard(BaseMiner):
    def mine(self, dist, labels):
        pos, neg = same_label(labels)
        p = dist.masked_fill(~pos, -1).argmax(1)
        n = dist.masked_fill(~neg, float("inf")).argmin(1)
        return p, n


@_register("semihard")
class SemiHard(BaseMiner):
    """A random positive, and a negative that is farther than it but inside of the margin."""

    def mine(self, dist, labels):
        pos, neg = (m.cpu().numpy() for m in same_label(labels))
        d = dist.cpu().numpy()
        ps, ns = [], []
        for i in range(len(d)):
            j = np.random.choice(np.flatnonzero(pos[i]))
            band = neg[i] & (d[i] > d[i, j]) & (d[i] < d[i, j] + self.margin)
            pool = np.flatnonzero(band)
            if len(pool) == 0:
                pool = [int(np.where(neg[i], d[i], np.inf).argmin())]
            ps.append(j)
            ns.append(np.random.choice(pool))
        return torch.tensor(np.array(ps), device=dist.device), torch.tensor(np.array(ns), device=dist.device)
