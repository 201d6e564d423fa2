"""A generator against a discriminator, with `.cuda()` under a flag."""

import torch
import torch.nn as nn

use_cuda = torch.cuda.is_available()


class Generator(nn.Module):
    def __init__(self, noise, size):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(noise, 16), nn.ReLU(), nn.Linear(16, size), nn.Tanh())

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(size, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(x))


netG = Generator(4, 10)
netD = Discriminator(10)
criterion = nn.BCELoss()
if use_cuda:
    netG.cuda()
    netD.cuda()
    criterion.cuda()

optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4)
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4)

for _ in range(3):
    real = torch.randn(8, 10)
    noise = torch.randn(8, 4)
    real_label = torch.ones(8, 1)
    fake_label = torch.zeros(8, 1)
    if use_cuda:
        real, noise = real.cuda(), noise.cuda()
        real_label = real_label.cuda()
        fake_label = fake_label.cuda()

    netD.zero_grad()
    fake = netG(noise)
    loss_d = criterion(netD(real), real_label) + criterion(netD(fake.detach()), fake_label)
    loss_d.backward()
    optimizerD.step()

    netG.zero_grad()
    loss_g = criterion(netD(fake), real_label)
    loss_g.backward()
    optimizerG.step()

print(loss_d.item(), loss_g.item())
