import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class EMAVectorQuantizer(nn.Module):
    embed: Tensor
    cluster_size: Tensor
    embed_avg: Tensor

    def __init__(self, n_codes: int, dim: int, decay: float = 0.9, eps: float = 1e-5, threshold: float = 0.3):
        super().__init__()
        self.n_codes, self.dim = n_codes, dim
        self.decay, self.eps, self.threshold = decay, eps, threshold
        embed = torch.randn(n_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(n_codes))
        self.register_buffer("embed_avg", embed.clone())
        self.usage = torch.zeros(n_codes, dtype=torch.long)

    @torch.no_grad()
    def _ema_update(self, flat: Tensor, onehot: Tensor) -> None:
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.embed_avg.mul_(self.decay).add_(onehot.t() @ flat, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        smoothed = (self.cluster_size + self.eps) / (n + self.n_codes * self.eps) * n
        self.embed.copy_(self.embed_avg / smoothed.unsqueeze(1))

    @torch.no_grad()
    def _revive(self, flat: Tensor) -> int:
        dead = (self.cluster_size < self.threshold).nonzero().squeeze(1)
        if dead.numel() == 0:
            return 0
        pick = torch.randint(0, flat.shape[0], (dead.numel(),))
        jitter = torch.randn(dead.numel(), self.dim, device=flat.device) * 0.01
        self.embed[dead] = flat[pick]
        self.embed[dead] += jitter
        self.embed_avg[dead] = self.embed[dead]
        self.cluster_size[dead] = 1.0
        return dead.numel()

    def forward(self, z: Tensor):
        b, c, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, c)
        dist = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.embed.t() + self.embed.pow(2).sum(1)
        codes = dist.argmin(1)
        quant = self.embed[codes].view(b, h, w, c).permute(0, 3, 1, 2)
        if self.training:
            onehot = F.one_hot(codes, self.n_codes).type_as(flat)
            self._ema_update(flat, onehot)
            self._revive(flat)
            self.usage += codes.bincount(minlength=self.n_codes).cpu()
        commit = F.mse_loss(z, quant.detach())
        quant = z + (quant - z).detach()
        probs = torch.bincount(codes, minlength=self.n_codes).float() / codes.numel()
        perplexity = torch.exp(-(probs * (probs + 1e-10).log()).sum())
        return quant, commit, perplexity


class VQVAE(nn.Module):
    def __init__(self, hidden: int = 16, n_codes: int = 32):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, hidden, 4, 2, 1), nn.ReLU(), nn.Conv2d(hidden, hidden, 4, 2, 1)
        )
        self.vq = EMAVectorQuantizer(n_codes, hidden)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(hidden, hidden, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(hidden, 1, 4, 2, 1)
        )

    def forward(self, x: Tensor):
        q, commit, ppl = self.vq(self.encoder(x))
        return self.decoder(q), commit, ppl


def train(steps: int = 8, beta: float = 0.25) -> VQVAE:
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = VQVAE().to(dev).train()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    images = torch.rand(64, 1, 16, 16)
    for it in range(steps):
        idx = torch.randperm(len(images))[:8]
        x = images[idx].to(dev)
        recon, commit, ppl = model(x)
        loss = F.mse_loss(recon, x) + beta * commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"[{it}] loss={loss.item():.4f} perplexity={ppl.item():.1f}")
    used = (model.vq.usage > 0).numpy().mean()
    print(f"codes used: {used:.0%}")
    return model


if __name__ == "__main__":
    torch.manual_seed(3)
    train(steps=20)
