""" Vision Transformer: patches, blocks and loading of checkpoints of another resolution """
import logging
import math
from collections import OrderedDict
from functools import partial
from typing import Callable, Dict, List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F

_logger = logging.getLogger(__name__)


def resample_abs_pos_embed(posemb, new_size: List[int], num_prefix_tokens: int = 1,
                           interpolation: str = 'bicubic', antialias: bool = True):
    """ Resize a (1, prefix + h*w, dim) grid of position embeddings """
    num_new_tokens = new_size[0] * new_size[1] + num_prefix_tokens
    if num_new_tokens == posemb.shape[1]:
        return posemb
    hw = int(math.sqrt(posemb.shape[1] - num_prefix_tokens))
    prefix, grid = posemb[:, :num_prefix_tokens], posemb[:, num_prefix_tokens:]
    dtype, dim = grid.dtype, grid.shape[-1]
    grid = grid.float().reshape(1, hw, hw, dim).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_size, mode=interpolation, antialias=antialias)
    grid = grid.permute(0, 2, 3, 1).reshape(1, -1, dim).to(dtype)
    _logger.info('Resized position embedding from %dx%d to %s', hw, hw, new_size)
    return torch.cat([prefix, grid], dim=1)


def adapt_input_conv(in_chans: int, conv_weight: torch.Tensor) -> torch.Tensor:
    """ Repeat or sum the RGB filters for another number of channels """
    O, I, J, K = conv_weight.shape
    if in_chans == I:
        return conv_weight
    if in_chans == 1:
        return conv_weight.sum(dim=1, keepdim=True)
    repeat = int(math.ceil(in_chans / I))
    return conv_weight.repeat(1, repeat, 1, 1)[:, :in_chans] * (I / float(in_chans))


class PatchEmbed(nn.Module):
    def __init__(self, img_size: int = 224, patch_size: int = 16, in_chans: int = 3, embed_dim: int = 768):
        super().__init__()
        assert img_size % patch_size == 0
        self.grid_size = (img_size // patch_size, img_size // patch_size)
        self.num_patches = self.grid_size[0] * self.grid_size[1]
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class DropPath(nn.Module):
    def __init__(self, drop_prob: float = 0.):
        super().__init__()
        self.drop_prob = drop_prob

    def forward(self, x):
        if self.drop_prob == 0. or not self.training:
            return x
        keep = 1 - self.drop_prob
        mask = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
        return x * mask / keep


class Block(nn.Module):
    def __init__(self, dim: int, num_heads: int, mlp_ratio: float = 4., drop_path: float = 0.,
                 norm_layer: Callable = nn.LayerNorm):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = nn.MultiheadAttention(dim, num_heads, batch_first=True)
        self.drop_path = DropPath(drop_path)
        self.norm2 = norm_layer(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, int(dim * mlp_ratio)), nn.GELU(), nn.Linear(int(dim * mlp_ratio), dim))

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.drop_path(self.attn(y, y, y, need_weights=False)[0])
        return x + self.drop_path(self.mlp(self.norm2(x)))


class VisionTransformer(nn.Module):
    def __init__(self, img_size=224, patch_size=16, in_chans=3, num_classes=1000, embed_dim=768, depth=12,
                 num_heads=12, drop_path_rate=0., class_token=True):
        super().__init__()
        self.num_prefix_tokens = 1 if class_token else 0
        self.patch_embed = PatchEmbed(img_size, patch_size, in_chans, embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim)) if class_token else None
        self.pos_embed = nn.Parameter(torch.zeros(1, self.patch_embed.num_patches + self.num_prefix_tokens, embed_dim))
        dpr = [x.item() for x in torch.linspace(0, drop_path_rate, depth)]  # stochastic depth decay rule
        norm_layer = partial(nn.LayerNorm, eps=1e-6)
        self.blocks = nn.Sequential(*[
            Block(embed_dim, num_heads, drop_path=dpr[i], norm_layer=norm_layer) for i in range(depth)])
        self.norm = norm_layer(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes) if num_classes > 0 else nn.Identity()
        nn.init.trunc_normal_(self.pos_embed, std=.02)

    def set_input_size(self, grid_size: Tuple[int, int]):
        """ Change the grid of the model, e.g. for fine-tuning at a higher resolution """
        posemb = resample_abs_pos_embed(self.pos_embed.data, list(grid_size), self.num_prefix_tokens)
        self.pos_embed = nn.Parameter(posemb)
        self.patch_embed.grid_size = tuple(grid_size)
        self.patch_embed.num_patches = grid_size[0] * grid_size[1]

    def load_pretrained(self, path: str, adopt_size: bool = False, prefix: str = ''):
        load_pretrained(self, path, adopt_size=adopt_size, prefix=prefix)

    def forward_features(self, x):
        x = self.patch_embed(x)
        if self.cls_token is not None:
            x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        x = x + self.pos_embed
        return self.norm(self.blocks(x))

    def forward(self, x):
        x = self.forward_features(x)
        x = x[:, 0] if self.num_prefix_tokens else x.mean(dim=1)
        return self.head(x)


def checkpoint_filter_fn(state_dict: Dict[str, torch.Tensor], model: VisionTransformer, prefix: str = ''):
    out = OrderedDict()
    for k, v in state_dict.items():
        if prefix and not k.startswith(prefix):
            continue
        k = k[len(prefix):]
        if k == 'patch_embed.proj.weight':
            v = adapt_input_conv(model.patch_embed.proj.in_channels, v)
        if k.startswith('head.') and v.shape[0] != getattr(model.head, 'out_features', None):
            continue
        out[k] = v
    return out


@torch.no_grad()
def load_pretrained(model: VisionTransformer, path: str, adopt_size: bool = False, prefix: str = '',
                    filter_fn: Optional[Callable] = checkpoint_filter_fn):
    """ Load weights into a model.

    Args:
        adopt_size: take over the grid of the checkpoint, in place of resizing its embedding to the grid of the model
    """
    state_dict = torch.load(path, map_location='cpu')
    state_dict = state_dict.get('state_dict', state_dict)
    if filter_fn is not None:
        state_dict = filter_fn(state_dict, model, prefix)
    posemb = state_dict.pop('pos_embed')
    if adopt_size and posemb.shape != model.pos_embed.shape:
        side = int(math.sqrt(posemb.shape[1] - model.num_prefix_tokens))
        model.patch_embed.grid_size = (side, side)
        model.patch_embed.num_patches = side * side
        model.pos_embed = nn.Parameter(posemb.to(model.pos_embed.device))
    else:
        posemb = resample_abs_pos_embed(posemb, list(model.patch_embed.grid_size), model.num_prefix_tokens)
        model.pos_embed.copy_(posemb)
    missing, unexpected = model.load_state_dict(state_dict, strict=False)
    if unexpected:
        _logger.warning('unexpected keys: %s', unexpected)
    return [k for k in missing if k != 'pos_embed']
