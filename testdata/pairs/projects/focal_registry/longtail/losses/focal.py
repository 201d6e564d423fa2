import torch.nn.functional as F

from ..registry import LOSSES
from .base import ReweightedLoss


@LOSSES.register("focal")
class FocalLoss(ReweightedLoss):
    def __init__(self, samples_per_class, gamma=2.0, **kwargs):
        super().__init__(samples_per_class, **kwargs)
        self.gamma = gamma

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, reduction="none")
        pt = (-ce).exp()
        weight = self.class_weight[target]
        return (weight * (1 - pt) ** self.gamma * ce).mean()


@LOSSES.register("balanced_softmax")
class BalancedSoftmax(ReweightedLoss):
    def __init__(self, samples_per_class, gamma=None, **kwargs):
        super().__init__(samples_per_class, **kwargs)

    def forward(self, logits, target):
        return F.cross_entropy(logits + self.log_prior, target)
