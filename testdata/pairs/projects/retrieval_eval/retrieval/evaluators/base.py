import torch

EVALUATORS = {}


class Evaluator:
    def __init_subclass__(cls, key=None, **kw):
        super().__init_subclass__(**kw)
        if key is not None:
            EVALUATORS[key] = cls

    def __init__(self):
        self.reset()

    def reset(self):
        self._q, self._d = [], []

    def update(self, q, d):
        self._q.append(q.detach().cpu())
        self._d.append(d.detach().cpu())

    def scores(self):
        return torch.cat(self._q) @ torch.cat(self._d).t()

    def compute(self):
        raise NotImplementedError
