"""SN-GAN on 2-d toy images with a home-made spectral normalisation (forward pre-hook)."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn import Parameter

Z_DIM = 16
ngpu = 1 if torch.cuda.is_available() else 0
DEVICE = "cuda:0" if ngpu else "cpu"


def l2normalize(v, eps=1e-12):
    return v / (v.norm() + eps)


class SpectralNorm(object):
    def __init__(self, name="weight", n_power_iterations=1):
        self.name = name
        self.n_power_iterations = n_power_iterations

    def compute_weight(self, module):
        w = getattr(module, self.name + "_bar")
        u = getattr(module, self.name + "_u")
        mat = w.view(w.size(0), -1)
        with torch.no_grad():
            for _ in range(self.n_power_iterations):
                v = l2normalize(torch.mv(mat.t(), u))
                u = l2normalize(torch.mv(mat, v))
        if module.training:
            setattr(module, self.name + "_u", u)
        sigma = torch.dot(u, torch.mv(mat, v))
        return w / sigma

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))

    @staticmethod
    def apply(module, name="weight", n_power_iterations=1):
        fn = SpectralNorm(name, n_power_iterations)
        weight = module._parameters.pop(name)
        module.register_parameter(name + "_bar", Parameter(weight.data))
        u = l2normalize(weight.new_empty(weight.size(0)).normal_(0, 1))
        module.register_buffer(name + "_u", u)
        setattr(module, name, weight.data)
        module.register_forward_pre_hook(fn)
        return module


def snconv(*args, **kw):
    return SpectralNorm.apply(nn.Conv2d(*args, **kw))


class Discriminator(nn.Module):
    def __init__(self, ch=8):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(
            snconv(1, ch, 4, 2, 1), nn.LeakyReLU(0.1),
            snconv(ch, ch * 2, 4, 2, 1), nn.LeakyReLU(0.1),
        )
        self.fc = SpectralNorm.apply(nn.Linear(ch * 2 * 16, 1))

    def forward(self, x):
        return self.fc(self.main(x).flatten(1)).view(-1)


class Generator(nn.Module):
    def __init__(self, ch=16):
        super(Generator, self).__init__()
        self.ch = ch
        self.project = nn.Linear(Z_DIM, ch * 16)
        self.up = nn.Sequential(
            nn.BatchNorm2d(ch), nn.ReLU(True), nn.ConvTranspose2d(ch, ch // 2, 4, 2, 1),
            nn.BatchNorm2d(ch // 2), nn.ReLU(True), nn.ConvTranspose2d(ch // 2, 1, 4, 2, 1), nn.Tanh(),
        )

    def forward(self, z):
        return self.up(self.project(z).view(-1, self.ch, 4, 4))


def real_batches(n, bs):
    for _ in range(n):
        yield torch.rand(bs, 1, 16, 16) * 2 - 1


def main():
    torch.manual_seed(42)
    netG, netD = Generator().to(DEVICE), Discriminator().to(DEVICE)
    optG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.0, 0.9))
    optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.0, 0.9))
    fixed_noise = torch.randn(4, Z_DIM).to(DEVICE)
    G_losses, D_losses = [], []

    for i, real in enumerate(real_batches(4, 8)):
        real = real.to(DEVICE)
        z = torch.randn(real.size(0), Z_DIM, device=DEVICE)
        fake = netG(z)

        optD.zero_grad()
        d_loss = F.relu(1.0 - netD(real)).mean() + F.relu(1.0 + netD(fake.detach())).mean()
        d_loss.backward()
        optD.step()

        optG.zero_grad()
        g_loss = -netD(fake).mean()
        g_loss.backward()
        optG.step()

        G_losses.append(g_loss.item())
        D_losses.append(d_loss.item())
        print("[%d] Loss_D: %.4f Loss_G: %.4f" % (i, D_losses[-1], G_losses[-1]))

    with torch.no_grad():
        grid = netG(fixed_noise).detach().cpu()
    print(grid.numpy().shape)


if __name__ == "__main__":
    main()
