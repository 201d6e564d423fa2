# Losses for volumetric segmentation.

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


def flatten(tensor):
    """Flattens a given tensor such that the channel axis is first.
    The shapes are transformed as follows:
       (N, C, D, H, W) -> (C, N * D * H * W)
    """
    C = tensor.size(1)
    axis_order = (1, 0) + tuple(range(2, tensor.dim()))
    transposed = tensor.permute(axis_order).contiguous()
    return transposed.view(C, -1)


def expand_as_one_hot(input, C, ignore_index=None):
    """
    Converts NxDxHxW label image to NxCxDxHxW, where each label is stored in a separate channel

    :param input: 4D input image (NxDxHxW)
    :param C: number of channels/labels
    :param ignore_index: ignore index to be kept during the expansion
    :return: 5D output image (NxCxDxHxW)
    """
    if input.dim() == 5:
        return input
    assert input.dim() == 4

    shape = list(input.size())
    shape.insert(1, C)
    src = input.unsqueeze(1)

    if ignore_index is not None:
        mask = src.expand(shape) == ignore_index
        src = src.clone()
        src[src == ignore_index] = 0
        result = torch.zeros(shape).to(input.device).scatter_(1, src, 1)
        result[mask] = ignore_index
        return result
    return torch.zeros(shape).to(input.device).scatter_(1, src, 1)


def compute_per_channel_dice(input, target, epsilon=1e-5, ignore_index=None, weight=None):
    # assumes that input is a normalized probability
    assert input.size() == target.size(), "'input' and 'target' must have the same shape"

    if ignore_index is not None:
        mask = target.clone().ne_(ignore_index)
        mask.requires_grad = False
        input = input * mask
        target = target * mask

    input = flatten(input)
    target = flatten(target)

    intersect = (input * target).sum(-1)
    if weight is not None:
        intersect = weight * intersect

    denominator = (input + target).sum(-1)
    return 2. * intersect / denominator.clamp(min=epsilon)


class DiceLoss(nn.Module):
    """Computes Dice Loss, which just 1 - DiceCoefficient described above."""

    def __init__(self, epsilon=1e-5, weight=None, ignore_index=None, sigmoid_normalization=True):
        super(DiceLoss, self).__init__()
        self.epsilon = epsilon
        self.register_buffer('weight', weight)
        self.ignore_index = ignore_index
        self.normalization = nn.Sigmoid() if sigmoid_normalization else nn.Softmax(dim=1)

    def forward(self, input, target):
        input = self.normalization(input)
        target = expand_as_one_hot(target, C=input.size(1), ignore_index=self.ignore_index)
        dice = compute_per_channel_dice(input, target, self.epsilon, self.ignore_index, self.weight)
        return torch.mean(1. - dice)


class WeightedCrossEntropyLoss(nn.Module):
    """WeightedCrossEntropyLoss (WCE) as described in https://arxiv.org/pdf/1707.03237.pdf"""

    def __init__(self, weight=None, ignore_index=-1):
        super(WeightedCrossEntropyLoss, self).__init__()
        self.register_buffer('weight', weight)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        class_weights = self._class_weights(input)
        if self.weight is not None:
            class_weights = class_weights * Variable(self.weight, requires_grad=False)
        return F.cross_entropy(input, target, weight=class_weights, ignore_index=self.ignore_index)

    @staticmethod
    def _class_weights(input):
        # normalize the input first
        input = F.softmax(input, dim=1)
        flattened = flatten(input)
        nominator = (1. - flattened).sum(-1)
        denominator = flattened.sum(-1)
        return Variable(nominator / denominator, requires_grad=False).detach()


class BoundaryLoss(nn.Module):
    """L1 between the soft boundaries (morphological gradients) of the prediction and the labels."""

    def __init__(self, kernel_size=3, n_classes=2):
        super(BoundaryLoss, self).__init__()
        self.kernel_size = kernel_size
        self.n_classes = n_classes

    def _boundary(self, x):
        pad = self.kernel_size // 2
        dilated = F.max_pool3d(x, self.kernel_size, stride=1, padding=pad)
        eroded = -F.max_pool3d(-x, self.kernel_size, stride=1, padding=pad)
        return dilated - eroded

    def forward(self, input, target):
        target = expand_as_one_hot(target, self.n_classes)
        b_pred, b_true = self._boundary(F.softmax(input, dim=1)), self._boundary(target)
        valid = (b_true > 0).float()
        # a small weight far from the boundary keeps the loss from vanishing
        weights = 0.1 + 0.9 * valid
        return (weights * torch.abs(b_pred - b_true)).sum() / weights.sum()


def get_loss_criterion(config):
    """
    Returns the loss function based on provided configuration

    :param config: (dict) a top level configuration object containing the 'loss' key
    """
    assert 'loss' in config, 'Could not find loss function configuration'
    loss_config = config['loss']
    name = loss_config['name']
    ignore_index = loss_config.get('ignore_index', None)
    weight = loss_config.get('weight', None)
    if weight is not None:
        # convert to cuda tensor if necessary
        weight = torch.FloatTensor(weight).to(config['device'])

    if name == 'DiceLoss':
        return DiceLoss(weight=weight, ignore_index=ignore_index, sigmoid_normalization=False)
    elif name == 'WeightedCrossEntropyLoss':
        return WeightedCrossEntropyLoss(weight, -1 if ignore_index is None else ignore_index)
    elif name == 'BoundaryLoss':
        return BoundaryLoss(loss_config.get('kernel_size', 3), loss_config.get('n_classes', 2))
    raise RuntimeError("Unsupported loss function: '{}'".format(name))
