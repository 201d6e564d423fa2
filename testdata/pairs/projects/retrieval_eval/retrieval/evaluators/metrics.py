import numpy as np

from .base import Evaluator


class _RankEvaluator(Evaluator):
    def ranks(self):
        s = self.scores()
        return (s > s.diagonal()[:, None]).sum(dim=1)


class RecallAtK(_RankEvaluator, key="recall"):
    def __init__(self, ks):
        super().__init__()
        self.ks = ks

    def compute(self):
        ranks = self.ranks()
        return {f"r@{k}": round((ranks < k).float().mean().item(), 3) for k in self.ks}


class MRR(_RankEvaluator, key="mrr"):
    def compute(self):
        return {"mrr": round((1.0 / (self.ranks() + 1)).mean().item(), 3)}


class ScoreHistogram(Evaluator, key="score_histogram"):
    """Histogram of the cosine of matching pairs, to spot collapse."""

    def __init__(self, bins=10):
        super().__init__()
        self.edges = np.linspace(-1.0, 1.0, bins + 1)

    def compute(self):
        pos = self.scores().diagonal()
        counts, _ = np.histogram(pos.numpy(), bins=self.edges)
        return {"hist": counts.tolist()}
