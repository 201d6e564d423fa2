"""Decoders of segmentation models: FPN and U-Net, with optional deep supervision."""
from typing import List, Optional, Sequence, Union

import torch
import torch.nn as nn
import torch.nn.functional as F


class Activation(nn.Module):
    def __init__(self, name: Union[None, str, callable]):
        super().__init__()
        if name is None or name == "identity":
            self.activation = nn.Identity()
        elif name == "sigmoid":
            self.activation = nn.Sigmoid()
        elif name == "softmax2d":
            self.activation = nn.Softmax(dim=1)
        elif callable(name):
            self.activation = name()
        else:
            raise ValueError(f"Activation should be callable/sigmoid/softmax2d/None; got {name}")

    def forward(self, x):
        return self.activation(x)


class Conv2dReLU(nn.Sequential):
    def __init__(self, in_channels, out_channels, kernel_size=3, padding=1, use_batchnorm=True):
        layers = [nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding, bias=not use_batchnorm)]
        if use_batchnorm:
            layers.append(nn.BatchNorm2d(out_channels))
        layers.append(nn.ReLU(inplace=True))
        super().__init__(*layers)


class SegmentationHead(nn.Sequential):
    def __init__(self, in_channels, out_channels, kernel_size=3, activation=None, upsampling=1):
        super().__init__(
            nn.Conv2d(in_channels, out_channels, kernel_size=kernel_size, padding=kernel_size // 2),
            nn.Upsample(scale_factor=upsampling, mode="bilinear", align_corners=False)
            if upsampling > 1 else nn.Identity(),
            Activation(activation),
        )


class FPNBlock(nn.Module):
    def __init__(self, pyramid_channels: int, skip_channels: int, mode: str = "nearest"):
        super().__init__()
        self.skip_conv = nn.Conv2d(skip_channels, pyramid_channels, kernel_size=1)
        self.mode = mode

    def forward(self, x: torch.Tensor, skip: torch.Tensor) -> torch.Tensor:
        x = F.interpolate(x, size=skip.shape[-2:], mode=self.mode)
        return x + self.skip_conv(skip)


class MergeBlock(nn.Module):
    def __init__(self, policy: str):
        super().__init__()
        if policy not in ("add", "cat"):
            raise ValueError(f"`merge_policy` must be one of: ['add', 'cat'], got {policy}")
        self.policy = policy

    def forward(self, x: List[torch.Tensor]) -> torch.Tensor:
        return torch.stack(x).sum(dim=0) if self.policy == "add" else torch.cat(x, dim=1)


class FPNDecoder(nn.Module):
    def __init__(
        self,
        encoder_channels: Sequence[int],
        pyramid_channels: int = 32,
        segmentation_channels: int = 16,
        dropout: float = 0.2,
        merge_policy: str = "add",
        aux_levels: Sequence[int] = (),
        aux_classes: int = 1,
    ):
        super().__init__()
        depth = len(encoder_channels)
        if depth < 3:
            raise ValueError(f"Encoder depth for FPN decoder cannot be less than 3, got {depth}.")
        channels = list(encoder_channels)[::-1]
        self.out_channels = segmentation_channels * (depth if merge_policy == "cat" else 1)
        self.p_top = nn.Conv2d(channels[0], pyramid_channels, kernel_size=1)
        self.blocks = nn.ModuleList([FPNBlock(pyramid_channels, c) for c in channels[1:]])
        self.seg_blocks = nn.ModuleList([Conv2dReLU(pyramid_channels, segmentation_channels) for _ in range(depth)])
        self.aux_heads = nn.ModuleDict({
            str(level): SegmentationHead(pyramid_channels, aux_classes, kernel_size=1) for level in aux_levels
        })
        self.merge = MergeBlock(merge_policy)
        self.dropout = nn.Dropout2d(p=dropout, inplace=True)

    def pyramid(self, features: List[torch.Tensor]) -> List[torch.Tensor]:
        features = features[::-1]
        levels = [self.p_top(features[0])]
        for block, skip in zip(self.blocks, features[1:]):
            levels.append(block(levels[-1], skip))
        return levels

    def forward(self, features: List[torch.Tensor]):
        levels = self.pyramid(features)
        size = levels[-1].shape[-2:]
        maps = [
            F.interpolate(block(p), size=size, mode="bilinear", align_corners=False)
            for block, p in zip(self.seg_blocks, levels)
        ]
        x = self.dropout(self.merge(maps))
        aux = [head(levels[int(i)]) for i, head in self.aux_heads.items()] if self.training else []
        return x, aux


class SegmentationModel(nn.Module):
    """An encoder that returns a list of feature maps, a decoder and a head."""

    def __init__(self, encoder: nn.Module, encoder_channels: Sequence[int], classes: int = 1,
                 activation: Optional[str] = None, upsampling: int = 2, **decoder_kwargs):
        super().__init__()
        self.encoder = encoder
        self.decoder = FPNDecoder(encoder_channels, aux_classes=classes, **decoder_kwargs)
        self.segmentation_head = SegmentationHead(self.decoder.out_channels, classes, 1, activation, upsampling)
        self.initialize()

    def initialize(self):
        for module in (*self.decoder.modules(), *self.segmentation_head.modules()):
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_uniform_(module.weight, mode="fan_in", nonlinearity="relu")
                if module.bias is not None:
                    nn.init.constant_(module.bias, 0)
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.constant_(module.weight, 1)
                nn.init.constant_(module.bias, 0)

    def forward(self, x):
        out, aux = self.decoder(self.encoder(x))
        masks = self.segmentation_head(out)
        return (masks, aux) if self.training else masks

    @torch.no_grad()
    def predict(self, x):
        was_training = self.training
        self.eval()
        out = self.forward(x)
        self.train(was_training)
        return out


def dice_loss(logits, target, eps=1e-7, smooth=0.0, ignore_index=None):
    prob = logits.sigmoid().flatten(1)
    target = target.flatten(1).type_as(prob)
    if ignore_index is not None:
        keep = target != ignore_index
        prob, target = prob * keep, target * keep
    score = (2.0 * (prob * target).sum(1) + smooth) / ((prob + target).sum(1) + smooth).clamp_min(eps)
    return (1.0 - score).mean()


def deep_supervision_loss(output, target, weight=0.4):
    masks, aux = output
    loss = dice_loss(masks, target)
    for a in aux:
        loss = loss + weight * dice_loss(F.interpolate(a, size=target.shape[-2:], mode="bilinear"), target)
    return loss
