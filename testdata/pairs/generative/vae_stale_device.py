import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader


class Encoder(nn.Module):
    def __init__(self, in_dim, hidden, latent):
        super().__init__()
        self.fc = nn.Linear(in_dim, hidden)
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)

    def forward(self, x):
        h = F.relu(self.fc(x))
        return self.mu(h), self.logvar(h)


class Decoder(nn.Module):
    def __init__(self, latent, hidden, out_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, out_dim))

    def forward(self, z):
        return self.net(z)


class BetaTCVAE(nn.Module):
    """beta-TC-VAE (Chen et al. 2018), minibatch-weighted estimator."""

    def __init__(self, in_dim=32, hidden=48, latent=4, beta=4.0, n_data=128):
        super().__init__()
        self.latent = latent
        self.beta = beta
        self.log_n_data = float(np.log(n_data))
        self.encoder = Encoder(in_dim, hidden, latent)
        self.decoder = Decoder(latent, hidden, in_dim)

    @property
    def device(self):
        return next(self.encoder.parameters()).device

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.randn_like(std)

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z = self.reparameterize(mu, logvar)
        return self.decoder(z), mu, logvar, z

    def loss(self, x):
        recon, mu, logvar, z = self(x)
        rec = F.binary_cross_entropy_with_logits(recon, x, reduction="sum") / x.size(0)
        log_qz_x = log_normal(z, mu, logvar).sum(1)
        log_pz = log_normal(z, torch.zeros_like(z), torch.zeros_like(z)).sum(1)
        pairwise = log_normal(z[:, None], mu[None], logvar[None])
        log_qz = torch.logsumexp(pairwise.sum(2), 1) - self.log_n_data
        log_prod_qz = (torch.logsumexp(pairwise, 1) - self.log_n_data).sum(1)
        mi, tc, dwkl = (log_qz_x - log_qz).mean(), (log_qz - log_prod_qz).mean(), (log_prod_qz - log_pz).mean()
        return rec + mi + self.beta * tc + dwkl

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, self.latent, device=self.device)
        return torch.sigmoid(self.decoder(z))

    @torch.no_grad()
    def traverse(self, x, dim, values=(-2.0, 0.0, 2.0)):
        mu, _ = self.encoder(x[:1])
        z = mu.repeat(len(values), 1)
        z[:, dim] = torch.tensor(values)
        return torch.sigmoid(self.decoder(z))


def log_normal(x, mu, logvar):
    return -0.5 * (logvar + (x - mu) ** 2 / logvar.exp() + np.log(2 * np.pi))


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def binary_factors(n, dim=32):
    factors = np.random.randint(0, 2, size=(n, 4))
    mixing = np.random.rand(4, dim)
    return torch.from_numpy((factors @ mixing > 1.0).astype(np.float32))


def train_epoch(model, loader, optimizer, device):
    model.train()
    total = 0.0
    for x in loader:
        x = x.to(device, non_blocking=True)
        loss = model.loss(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * x.size(0)
    return total / len(loader.dataset)


def main():
    seed_everything(2)
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    data = binary_factors(128)
    loader = DataLoader(data, batch_size=32, shuffle=True, pin_memory=device.type == "cuda")
    model = BetaTCVAE(n_data=len(data)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    for epoch in range(3):
        print(f"epoch {epoch} elbo {-train_epoch(model, loader, optimizer, device):.2f}")
        model.eval()
        grid = [model.traverse(data[:4].to(device), d).cpu() for d in range(model.latent)]
        images = model.sample(6).cpu().numpy()
        print("  traversal", tuple(torch.stack(grid).shape), "mean pixel", images.mean().round(3))


if __name__ == "__main__":
    main()
