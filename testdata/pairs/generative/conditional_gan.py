"""Conditional GAN with hinge loss and label flipping on synthetic 'digits'."""
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.nn.utils import spectral_norm
from torch.utils.data import DataLoader, Dataset


class BlobDigits(Dataset):
    """10 class-dependent templates plus pixel noise."""

    def __init__(self, n=80, side=8, classes=10):
        g = torch.Generator().manual_seed(0)
        self.templates = torch.rand(classes, side * side, generator=g)
        self.labels = torch.randint(classes, (n,), generator=g)
        self.noise = 0.1 * torch.randn(n, side * side, generator=g)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        y = self.labels[i]
        return self.templates[y] * 2 - 1 + self.noise[i], y


class OneHot(nn.Module):
    def __init__(self, num_classes, smoothing=0.0):
        super().__init__()
        self.num_classes = num_classes
        self.smoothing = smoothing

    def forward(self, y):
        hot = torch.eye(self.num_classes, device=y.device)[y]
        if self.smoothing and self.training:
            hot = hot * (1 - self.smoothing) + self.smoothing / self.num_classes
        return hot


class Generator(nn.Module):
    def __init__(self, z_dim, num_classes, out_dim):
        super().__init__()
        self.z_dim = z_dim
        self.onehot = OneHot(num_classes)
        self.net = nn.Sequential(
            nn.Linear(z_dim + num_classes, 64), nn.BatchNorm1d(64), nn.LeakyReLU(0.2),
            nn.Linear(64, out_dim), nn.Tanh(),
        )

    def forward(self, z, y):
        return self.net(torch.cat((z, self.onehot(y)), dim=1))

    @torch.no_grad()
    def grid(self, z):
        """One row per class, the same z across rows."""
        device = next(self.parameters()).device
        rows = []
        for c in range(self.onehot.num_classes):
            y = torch.full((z.size(0),), c, dtype=torch.long, device=device)
            rows.append(self(z, y).cpu())
        return torch.stack(rows)


class ProjectionDiscriminator(nn.Module):
    def __init__(self, num_classes, in_dim):
        super().__init__()
        self.features = nn.Sequential(spectral_norm(nn.Linear(in_dim, 64)), nn.LeakyReLU(0.2))
        self.out = spectral_norm(nn.Linear(64, 1))
        self.embed = spectral_norm(nn.Embedding(num_classes, 64))

    def forward(self, x, y):
        h = self.features(x)
        return self.out(h).squeeze(1) + (self.embed(y) * h).sum(1)


class Trainer:
    def __init__(self, z_dim=12, num_classes=10, side=8, device=None):
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.num_classes = num_classes
        self.G = Generator(z_dim, num_classes, side * side).to(self.device)
        self.D = ProjectionDiscriminator(num_classes, side * side).to(self.device)
        self.opt_g = optim.Adam(self.G.parameters(), 2e-4, betas=(0.0, 0.9))
        self.opt_d = optim.Adam(self.D.parameters(), 2e-4, betas=(0.0, 0.9))
        self.fixed_z = torch.randn(3, z_dim).to(self.device)
        self.class_counts = torch.zeros(num_classes, dtype=torch.long)

    def d_step(self, x, y):
        z = torch.randn(len(x), self.G.z_dim, device=self.device)
        with torch.no_grad():
            fake = self.G(z, y)
        flip = torch.rand(len(y)) < 0.05
        y_noisy = torch.where(flip.to(y.device), torch.randint_like(y, self.num_classes), y)
        loss = F.relu(1 - self.D(x, y_noisy)).mean() + F.relu(1 + self.D(fake, y)).mean()
        self.opt_d.zero_grad(set_to_none=True)
        loss.backward()
        self.opt_d.step()
        return loss

    def g_step(self, batch_size):
        z = torch.randn(batch_size, self.G.z_dim, device=self.device)
        y = torch.randint(self.num_classes, (batch_size,), device=self.device)
        loss = -self.D(self.G(z, y), y).mean()
        self.opt_g.zero_grad(set_to_none=True)
        loss.backward()
        self.opt_g.step()
        return loss

    def fit(self, loader, epochs=2):
        for epoch in range(epochs):
            running = torch.zeros(2, device=self.device)
            for x, y in loader:
                self.class_counts += torch.bincount(y, minlength=self.num_classes)
                x, y = x.to(self.device), y.to(self.device)
                running += torch.stack([self.d_step(x, y).detach(), self.g_step(len(x)).detach()])
            d, g = (running / len(loader)).tolist()
            self.G.eval()
            grid = self.G.grid(self.fixed_z)
            self.G.train()
            print(f"epoch {epoch}: D {d:.3f} G {g:.3f} grid {tuple(grid.shape)}")


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = Trainer()
    trainer.fit(DataLoader(BlobDigits(), batch_size=16, shuffle=True, drop_last=True))
    print("seen per class:", trainer.class_counts.numpy())
