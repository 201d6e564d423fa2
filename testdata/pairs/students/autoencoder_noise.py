# %% Denoising autoencoder for ECG windows
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class CFG:
    window: int = 32
    latent: int = 6
    batch_size: int = 24
    epochs: int = 3
    lr: float = 2e-3
    noise_std: float = 0.2
    drop_rate: float = 0.1
    seed: int = 11
    device: torch.device = field(
        default_factory=lambda: torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu"))


cfg = CFG()
torch.manual_seed(cfg.seed)
rng = np.random.default_rng(cfg.seed)

# %% data
phase = rng.uniform(0, 2 * np.pi, size=(192, 1))
t = np.linspace(0, 4 * np.pi, cfg.window)[None]
signal = np.sin(t + phase) + 0.3 * np.sin(3 * t + phase)
signal = torch.tensor(signal, dtype=torch.float32)
lo, hi = signal.min(), signal.max()
signal = (signal - lo) / (hi - lo)
train_loader = DataLoader(TensorDataset(signal[:160]), batch_size=cfg.batch_size, shuffle=True, drop_last=True)
test_signal = signal[160:]


# %% corruption
class Corrupt(nn.Module):
    """Gaussian noise plus dropped samples; a no-op in eval mode."""

    def __init__(self, std, drop_rate):
        super().__init__()
        self.drop_rate = drop_rate
        self.register_buffer("std", torch.tensor(float(std)))
        self.rng = torch.Generator().manual_seed(cfg.seed)

    def forward(self, x):
        if not self.training:
            return x
        noise = torch.randn(x.shape, generator=self.rng).to(x.device)
        keep = (torch.rand(x.shape, generator=self.rng) >= self.drop_rate).to(x.device)
        return self.mask(x + self.std * noise, keep)

    @staticmethod
    def mask(x, keep):
        return x.masked_fill(~keep, 0.0)


class DAE(nn.Module):
    def __init__(self, n_in, latent):
        super().__init__()
        self.corrupt = Corrupt(cfg.noise_std, cfg.drop_rate)
        self.encoder = nn.Sequential(
            nn.Linear(n_in, 24), nn.ReLU(inplace=True),
            nn.Linear(24, latent),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, 24), nn.ReLU(inplace=True),
            nn.Linear(24, n_in), nn.Sigmoid(),
        )

    def forward(self, x):
        z = self.encoder(self.corrupt(x))
        return self.decoder(z), z


model = DAE(cfg.window, cfg.latent).to(cfg.device)
mse = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)

# %% training
losses = []
for epoch in range(cfg.epochs):
    model.train()
    for (clean,) in train_loader:
        clean = clean.to(cfg.device)
        recon, z = model(clean)
        loss = mse(recon, clean) + 1e-4 * z.abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(f"epoch {epoch}: loss {np.mean(losses[-len(train_loader):]):.4f}")

# %% evaluation: reconstruction error in the original units, anomaly threshold
model.eval()
with torch.no_grad():
    recon, z = model(test_signal.to(cfg.device))
recon = recon.cpu()
err = ((recon - test_signal) ** 2).mean(dim=1) * (hi - lo) ** 2
threshold = torch.quantile(err, 0.95)
print("latent mean", z.mean(0).tolist()[:2])
print("anomalies", torch.nonzero(err > threshold).flatten().numpy(), "threshold %.4f" % threshold)
