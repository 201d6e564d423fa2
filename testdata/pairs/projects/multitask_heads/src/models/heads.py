import torch.nn as nn


class Head(nn.Module):
    out_dim = 1

    def __init__(self, in_dim, spec):
        super().__init__()
        self.norm = nn.LayerNorm(in_dim)
        self.fc = nn.Linear(in_dim, spec.get("num_labels", self.out_dim))

    def forward(self, h):
        return self.fc(self.norm(h))


class BinaryHead(Head):
    def forward(self, h):
        return super().forward(h).squeeze(-1)


class RegressionHead(Head):
    def __init__(self, in_dim, spec):
        super().__init__(in_dim, spec)
        self.act = nn.Softplus()

    def forward(self, h):
        return self.act(super().forward(h)).squeeze(-1)


HEADS = {"binary": BinaryHead, "regression": RegressionHead, "multilabel": Head}
