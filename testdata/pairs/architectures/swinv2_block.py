""" Shifted window attention with continuous relative position bias (Swin V2)

Paper: `Swin Transformer V2: Scaling Up Capacity and Resolution` - https://arxiv.org/abs/2111.09883
"""
import math
from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F

__all__ = ['WindowAttention', 'SwinBlock', 'window_partition', 'window_reverse']


def window_partition(x: torch.Tensor, window_size: Tuple[int, int]) -> torch.Tensor:
    B, H, W, C = x.shape
    x = x.view(B, H // window_size[0], window_size[0], W // window_size[1], window_size[1], C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size[0], window_size[1], C)


def window_reverse(windows: torch.Tensor, window_size: Tuple[int, int], img_size: Tuple[int, int]) -> torch.Tensor:
    H, W = img_size
    C = windows.shape[-1]
    x = windows.view(-1, H // window_size[0], W // window_size[1], window_size[0], window_size[1], C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, H, W, C)


def shift_mask(img_size: Tuple[int, int], window_size: Tuple[int, int], shift: int) -> Optional[torch.Tensor]:
    if not shift:
        return None
    H, W = img_size
    img_mask = torch.zeros((1, H, W, 1))
    cnt = 0
    for h in (slice(0, -window_size[0]), slice(-window_size[0], -shift), slice(-shift, None)):
        for w in (slice(0, -window_size[1]), slice(-window_size[1], -shift), slice(-shift, None)):
            img_mask[:, h, w, :] = cnt
            cnt += 1
    mask = window_partition(img_mask, window_size).view(-1, window_size[0] * window_size[1])
    mask = mask.unsqueeze(1) - mask.unsqueeze(2)
    return mask.masked_fill(mask != 0, float(-100.0)).masked_fill(mask == 0, float(0.0))


class WindowAttention(nn.Module):
    """ Window based multi-head cosine attention (W-MSA).

    Args:
        dim (int): Number of input channels.
        window_size (tuple[int]): The height and width of the window.
        num_heads (int): Number of attention heads.
        qkv_bias (bool, optional): If True, add a learnable bias to query, key, value. Default: True
        pretrained_window_size (tuple[int]): The height and width of the window in pre-training.
    """

    def __init__(self, dim, window_size, num_heads, qkv_bias=True, pretrained_window_size=(0, 0)):
        super().__init__()
        self.dim = dim
        self.window_size = window_size  # Wh, Ww
        self.pretrained_window_size = pretrained_window_size
        self.num_heads = num_heads
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((num_heads, 1, 1))))
        self.logit_max = math.log(1. / 0.01)
        self.cpb_mlp = nn.Sequential(
            nn.Linear(2, 64, bias=True),
            nn.ReLU(inplace=True),
            nn.Linear(64, num_heads, bias=False)
        )
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        if qkv_bias:
            self.q_bias = nn.Parameter(torch.zeros(dim))
            self.register_buffer('k_bias', torch.zeros(dim), persistent=False)
            self.v_bias = nn.Parameter(torch.zeros(dim))
        else:
            self.q_bias = self.k_bias = self.v_bias = None
        self.proj = nn.Linear(dim, dim)
        self._make_pair_wise_relative_positions()

    def _make_pair_wise_relative_positions(self):
        # get relative_coords_table
        coords_h = torch.arange(-(self.window_size[0] - 1), self.window_size[0]).to(torch.float32)
        coords_w = torch.arange(-(self.window_size[1] - 1), self.window_size[1]).to(torch.float32)
        table = torch.stack(torch.meshgrid(coords_h, coords_w, indexing='ij'))
        table = table.permute(1, 2, 0).contiguous().unsqueeze(0)  # 1, 2*Wh-1, 2*Ww-1, 2
        denom = self.pretrained_window_size if self.pretrained_window_size[0] > 0 else self.window_size
        table[:, :, :, 0] /= (denom[0] - 1)
        table[:, :, :, 1] /= (denom[1] - 1)
        table *= 8  # normalize to -8, 8
        table = torch.sign(table) * torch.log2(torch.abs(table) + 1.0) / math.log2(8)
        self.register_buffer('relative_coords_table', table, persistent=False)

        # get pair-wise relative position index for each token inside the window
        coords = torch.stack(torch.meshgrid(
            torch.arange(self.window_size[0]), torch.arange(self.window_size[1]), indexing='ij'))
        coords_flatten = torch.flatten(coords, 1)  # 2, Wh*Ww
        relative = coords_flatten[:, :, None] - coords_flatten[:, None, :]
        relative = relative.permute(1, 2, 0).contiguous()
        relative[:, :, 0] += self.window_size[0] - 1
        relative[:, :, 1] += self.window_size[1] - 1
        relative[:, :, 0] *= 2 * self.window_size[1] - 1
        self.relative_position_index = relative.sum(-1).view(-1)  # Wh*Ww * Wh*Ww

    def position_bias(self) -> torch.Tensor:
        area = self.window_size[0] * self.window_size[1]
        table = self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads)
        bias = table[self.relative_position_index].view(area, area, -1)
        return 16 * torch.sigmoid(bias.permute(2, 0, 1).contiguous()).unsqueeze(0)

    def forward(self, x, mask: Optional[torch.Tensor] = None):
        B_, N, C = x.shape
        qkv_bias = None
        if self.q_bias is not None:
            qkv_bias = torch.cat((self.q_bias, self.k_bias, self.v_bias))
        qkv = F.linear(x, self.qkv.weight, qkv_bias)
        q, k, v = qkv.reshape(B_, N, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        attn = attn * torch.clamp(self.logit_scale, max=self.logit_max).exp()
        attn = attn + self.position_bias()
        if mask is not None:
            nW = mask.shape[0]
            attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.num_heads, N, N)
        x = (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(B_, N, C)
        return self.proj(x)


class SwinBlock(nn.Module):
    def __init__(self, dim, input_resolution, num_heads, window_size=4, shift_size=0, mlp_ratio=2.):
        super().__init__()
        assert 0 <= shift_size < window_size, 'shift_size must in 0-window_size'
        self.window_size = (window_size, window_size)
        self.shift_size = shift_size
        self.attn = WindowAttention(dim, self.window_size, num_heads)
        self.norm1 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, int(dim * mlp_ratio)), nn.GELU(), nn.Linear(int(dim * mlp_ratio), dim))
        self.norm2 = nn.LayerNorm(dim)
        self.register_buffer('attn_mask', shift_mask(input_resolution, self.window_size, shift_size), persistent=False)

    def forward(self, x):
        B, H, W, C = x.shape
        s = self.shift_size
        y = torch.roll(x, shifts=(-s, -s), dims=(1, 2)) if s else x
        windows = window_partition(y, self.window_size).view(-1, self.window_size[0] * self.window_size[1], C)
        windows = self.attn(windows, mask=self.attn_mask)
        y = window_reverse(windows.view(-1, *self.window_size, C), self.window_size, (H, W))
        y = torch.roll(y, shifts=(s, s), dims=(1, 2)) if s else y
        x = x + self.norm1(y)
        return x + self.norm2(self.mlp(x))
