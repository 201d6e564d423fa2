"""Masked autoencoding of patches: masking strategies, a small decoder and the loss."""
import numpy as np
import torch
import torch.nn as nn


def get_2d_sincos_pos_embed(embed_dim, grid_size, cls_token=False):
    """
    return: [grid_size*grid_size, embed_dim] or [1+grid_size*grid_size, embed_dim] (w/ or w/o cls_token)
    """
    assert embed_dim % 4 == 0
    grid = np.meshgrid(np.arange(grid_size, dtype=np.float32), np.arange(grid_size, dtype=np.float32))
    omega = 1.0 / 10000 ** (np.arange(embed_dim // 4, dtype=np.float64) / (embed_dim / 4.0))
    parts = []
    for axis in grid:
        out = np.einsum("m,d->md", axis.reshape(-1), omega)
        parts += [np.sin(out), np.cos(out)]
    pos_embed = np.concatenate(parts, axis=1)
    if cls_token:
        pos_embed = np.concatenate([np.zeros([1, embed_dim]), pos_embed], axis=0)
    return pos_embed


class Masking:
    """Base of the strategies; ``order(x)`` says in which order patches are kept."""

    def __init__(self, ratio=0.75):
        if not 0 < ratio < 1:
            raise ValueError("mask ratio must be in (0, 1)")
        self.ratio = ratio

    def order(self, x):
        raise NotImplementedError

    def __call__(self, x):
        """
        x: [N, L, D], sequence
        returns the kept patches, the binary mask (1 is removed), and the indices that restore the order
        """
        N, L, D = x.shape
        keep = int(L * (1 - self.ratio))
        ids_shuffle = self.order(x)
        ids_restore = torch.argsort(ids_shuffle, dim=1)
        x_kept = torch.gather(x, dim=1, index=ids_shuffle[:, :keep].unsqueeze(-1).repeat(1, 1, D))
        mask = torch.ones([N, L], device=x.device)
        mask[:, :keep] = 0
        mask = torch.gather(mask, dim=1, index=ids_restore)
        return x_kept, mask, ids_restore


class RandomMasking(Masking):
    """Per-sample random masking, by argsort of noise."""

    def order(self, x):
        noise = torch.rand(x.shape[:2], device=x.device)
        return noise.argsort(dim=1)


class SharedMasking(Masking):
    """The same random patches for the whole batch (cheaper to pack)."""

    def order(self, x):
        return torch.randperm(x.shape[1], device=x.device).expand(x.shape[0], -1)


class BlockMasking(Masking):
    """Keeps one contiguous square window per sample, in a random place."""

    def __init__(self, ratio=0.75, rng=None):
        super().__init__(ratio)
        self.rng = rng or np.random.default_rng()

    def order(self, x):
        n, length = x.shape[:2]
        side = int(length ** 0.5)
        rows = []
        for _ in range(n):
            cy, cx = self.rng.integers(0, side, 2)
            yy, xx = np.divmod(np.arange(length), side)
            rows.append(np.argsort(np.maximum(abs(yy - cy), abs(xx - cx)), kind="stable"))
        return torch.from_numpy(np.stack(rows)).to(x.device)


MASKINGS = {"random": RandomMasking, "shared": SharedMasking, "block": BlockMasking}


class MaskedAutoencoder(nn.Module):
    """ Masked Autoencoder with a transformer backbone
    """
    def __init__(self, img_size=32, patch_size=4, in_chans=3, embed_dim=32, depth=2, num_heads=4,
                 decoder_dim=16, decoder_depth=1, masking="random", mask_ratio=0.75, norm_pix_loss=False):
        super().__init__()
        self.patch_size = patch_size
        self.in_chans = in_chans
        self.grid = img_size // patch_size
        self.patch_embed = nn.Conv2d(in_chans, embed_dim, patch_size, patch_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, self.grid ** 2 + 1, embed_dim), requires_grad=False)
        self.encoder = self._stack(embed_dim, num_heads, depth)
        self.decoder_embed = nn.Linear(embed_dim, decoder_dim)
        self.mask_token = nn.Parameter(torch.zeros(1, 1, decoder_dim))
        self.decoder_pos_embed = nn.Parameter(torch.zeros(1, self.grid ** 2 + 1, decoder_dim), requires_grad=False)
        self.decoder = self._stack(decoder_dim, num_heads, decoder_depth)
        self.decoder_pred = nn.Linear(decoder_dim, patch_size ** 2 * in_chans)
        self.masking = MASKINGS[masking](mask_ratio) if isinstance(masking, str) else masking
        self.norm_pix_loss = norm_pix_loss
        self.initialize_weights()

    @staticmethod
    def _stack(dim, heads, depth):
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, dropout=0.0, batch_first=True, norm_first=True)
        return nn.TransformerEncoder(layer, depth, nn.LayerNorm(dim), enable_nested_tensor=False)

    def initialize_weights(self):
        for p in (self.pos_embed, self.decoder_pos_embed):
            table = get_2d_sincos_pos_embed(p.shape[-1], self.grid, cls_token=True)
            p.data.copy_(torch.from_numpy(table).float().unsqueeze(0))
        nn.init.normal_(self.cls_token, std=.02)
        nn.init.normal_(self.mask_token, std=.02)

    def patchify(self, imgs):
        p, h, c = self.patch_size, self.grid, self.in_chans
        x = imgs.reshape(imgs.shape[0], c, h, p, h, p)
        return torch.einsum("nchpwq->nhwpqc", x).reshape(imgs.shape[0], h * h, p * p * c)

    def forward_encoder(self, imgs):
        x = self.patch_embed(imgs).flatten(2).transpose(1, 2) + self.pos_embed[:, 1:]
        x, mask, ids_restore = self.masking(x)
        cls = (self.cls_token + self.pos_embed[:, :1]).expand(x.shape[0], -1, -1)
        return self.encoder(torch.cat((cls, x), dim=1)), mask, ids_restore

    def forward_decoder(self, x, ids_restore):
        x = self.decoder_embed(x)
        tokens = self.mask_token.repeat(x.shape[0], ids_restore.shape[1] + 1 - x.shape[1], 1)
        y = torch.cat([x[:, 1:], tokens], dim=1)
        y = torch.gather(y, dim=1, index=ids_restore.unsqueeze(-1).repeat(1, 1, x.shape[2]))
        x = torch.cat([x[:, :1], y], dim=1) + self.decoder_pos_embed
        return self.decoder_pred(self.decoder(x))[:, 1:]

    def forward_loss(self, imgs, pred, mask):
        target = self.patchify(imgs)
        if self.norm_pix_loss:
            mean, var = target.mean(-1, keepdim=True), target.var(-1, keepdim=True)
            target = (target - mean) / (var + 1.e-6) ** .5
        loss = ((pred - target) ** 2).mean(dim=-1)
        return (loss * mask).sum() / mask.sum()

    def forward(self, imgs):
        latent, mask, ids_restore = self.forward_encoder(imgs)
        pred = self.forward_decoder(latent, ids_restore)
        return self.forward_loss(imgs, pred, mask), pred, mask
