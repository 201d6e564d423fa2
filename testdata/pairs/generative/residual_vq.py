import math

import torch
import torch.nn.functional as F
from torch import nn


class EuclideanCodebook(nn.Module):
    def __init__(self, dim, codebook_size, decay=0.95, eps=1e-5, threshold_ema_dead_code=1.0):
        super().__init__()
        self.codebook_size = codebook_size
        self.decay = decay
        self.eps = eps
        self.threshold = threshold_ema_dead_code
        embed = torch.randn(codebook_size, dim) / math.sqrt(dim)
        self.register_buffer('embed', embed)
        self.register_buffer('embed_avg', embed.clone())
        self.register_buffer('cluster_size', torch.ones(codebook_size))

    def expire_codes_(self, flat):
        dead = self.cluster_size < self.threshold
        if not dead.any():
            return 0
        picks = flat[torch.randint(0, flat.shape[0], (int(dead.sum()),))]
        self.embed[dead] = picks
        self.embed_avg[dead] = picks
        self.cluster_size[dead] = 1.
        return picks.shape[0]

    def forward(self, x):
        shape, dtype = x.shape, x.dtype
        flat = x.reshape(-1, shape[-1])
        ind = torch.cdist(flat, self.embed).argmin(dim=-1)
        quantize = F.embedding(ind, self.embed)
        if self.training:
            with torch.no_grad():
                onehot = F.one_hot(ind, self.codebook_size).type(dtype)
                self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
                self.embed_avg.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
                n = self.cluster_size.sum()
                smoothed = (self.cluster_size + self.eps) / (n + self.codebook_size * self.eps) * n
                self.embed.copy_(self.embed_avg / smoothed.unsqueeze(1))
                self.expire_codes_(flat)
        return quantize.view(shape), ind.view(shape[:-1])


class VectorQuantize(nn.Module):
    def __init__(self, dim, codebook_size, commitment_weight=0.25):
        super().__init__()
        self.codebook = EuclideanCodebook(dim, codebook_size)
        self.commitment_weight = commitment_weight

    def forward(self, x):
        quantize, ind = self.codebook(x)
        loss = self.commitment_weight * F.mse_loss(x, quantize.detach())
        return x + (quantize - x).detach(), ind, loss


class ResidualVQ(nn.Module):
    """ Follows Algorithm 1 in https://arxiv.org/abs/2107.03312 """

    def __init__(self, *, num_quantizers, quantize_dropout=False, **kwargs):
        super().__init__()
        self.layers = nn.ModuleList([VectorQuantize(**kwargs) for _ in range(num_quantizers)])
        self.quantize_dropout = quantize_dropout

    def forward(self, x):
        quantized_out, residual = 0., x
        all_losses, all_indices = [], []
        active = len(self.layers)
        if self.quantize_dropout and self.training:
            active = int(torch.randint(1, active + 1, ()).item())
        for layer in self.layers[:active]:
            quantized, indices, loss = layer(residual)
            residual = residual - quantized.detach()
            quantized_out = quantized_out + quantized
            all_indices.append(indices)
            all_losses.append(loss)
        return quantized_out, torch.stack(all_indices, dim=-1), torch.stack(all_losses).sum()


class SoundAutoencoder(nn.Module):
    def __init__(self, dim=16, codebook_size=32, num_quantizers=3):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(1, dim, 4, stride=2, padding=1), nn.ELU(),
            nn.Conv1d(dim, dim, 4, stride=2, padding=1),
        )
        self.rvq = ResidualVQ(dim=dim, codebook_size=codebook_size, num_quantizers=num_quantizers,
                              quantize_dropout=True)
        self.decoder = nn.Sequential(
            nn.ConvTranspose1d(dim, dim, 4, stride=2, padding=1), nn.ELU(),
            nn.ConvTranspose1d(dim, 1, 4, stride=2, padding=1),
        )

    def forward(self, wav):
        z = self.encoder(wav).transpose(1, 2)
        zq, codes, commit = self.rvq(z)
        return self.decoder(zq.transpose(1, 2)), codes, commit


def synth(batch, length=64):
    t = torch.arange(length) / length
    freq = torch.randint(1, 6, (batch, 1, 1))
    return torch.sin(2 * math.pi * freq * t) + 0.01 * torch.randn(batch, 1, length)


def run(steps=4, batch_size=8, seed=0):
    torch.manual_seed(seed)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    model = SoundAutoencoder().to(device)
    optim = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.5, 0.9))
    usage = torch.zeros(32)
    for step in range(steps):
        wav = synth(batch_size).to(device)
        recon, codes, commit = model(wav)
        loss = F.l1_loss(recon, wav) + commit
        optim.zero_grad()
        loss.backward()
        optim.step()
        usage += torch.bincount(codes[..., 0].flatten().cpu(), minlength=32)
        probs = usage / usage.sum()
        perplexity = torch.exp(-(probs * (probs + 1e-10).log()).sum())
        print(f'step {step} loss {loss.item():.4f} perplexity {perplexity:.2f}')


if __name__ == '__main__':
    run()
