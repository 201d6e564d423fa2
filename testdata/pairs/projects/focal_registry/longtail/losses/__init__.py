from ..registry import LOSSES
from .focal import BalancedSoftmax, FocalLoss


def build_loss(cfg, samples_per_class):
    return LOSSES.build(cfg, samples_per_class=samples_per_class)
