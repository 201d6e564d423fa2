import numpy as np
import torch
import torch.nn as nn
from torch import autograd

use_cuda = torch.cuda.is_available()
BATCH_SIZE = 32
CRITIC_ITERS = 2
LAMBDA = 10
ITERS = 3
DIM = 32
Z_DIM = 2


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.main = nn.Sequential(
            nn.Linear(Z_DIM, DIM), nn.ReLU(True),
            nn.Linear(DIM, DIM), nn.ReLU(True),
            nn.Linear(DIM, 2),
        )

    def forward(self, noise, real_data=None):
        return self.main(noise)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(
            nn.Linear(2, DIM), nn.LeakyReLU(0.2),
            nn.Linear(DIM, DIM), nn.LeakyReLU(0.2),
            nn.Linear(DIM, 1),
        )

    def forward(self, inputs):
        return self.main(inputs).view(-1)


def weights_init(m):
    if isinstance(m, nn.Linear):
        m.weight.data.normal_(0.0, 0.1)
        m.bias.data.fill_(0)


def inf_train_gen():
    scale = 2.0
    centers = [(scale * np.cos(t), scale * np.sin(t)) for t in np.linspace(0, 2 * np.pi, 8, endpoint=False)]
    while True:
        idx = np.random.randint(0, 8, BATCH_SIZE)
        batch = np.asarray(centers)[idx] + np.random.randn(BATCH_SIZE, 2) * 0.02
        yield (batch / 1.414).astype("float32")


def calc_gradient_penalty(netD, real_data, fake_data):
    alpha = torch.rand(real_data.size(0), 1)
    alpha = alpha.expand(real_data.size())
    alpha = alpha.cuda() if use_cuda else alpha

    interpolates = alpha * real_data + ((1 - alpha) * fake_data)
    interpolates.requires_grad_(True)
    disc_interpolates = netD(interpolates)

    gradients = autograd.grad(outputs=disc_interpolates, inputs=interpolates,
                              grad_outputs=torch.ones_like(disc_interpolates),
                              create_graph=True, retain_graph=True, only_inputs=True)[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean() * LAMBDA


def sample_noise(n):
    noise = torch.randn(n, Z_DIM)
    return noise.cuda() if use_cuda else noise


def main():
    np.random.seed(0)
    torch.manual_seed(0)
    netG, netD = Generator(), Discriminator()
    netD.apply(weights_init)
    netG.apply(weights_init)
    if use_cuda:
        netD = netD.cuda()
        netG = netG.cuda()

    optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-3, betas=(0.5, 0.9))
    optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.9))
    data = inf_train_gen()
    history = []

    for iteration in range(ITERS):
        for p in netD.parameters():
            p.requires_grad = True
        for _ in range(CRITIC_ITERS):
            real = torch.from_numpy(next(data))
            if use_cuda:
                real = real.cuda()
            netD.zero_grad()
            D_real = netD(real).mean()
            with torch.no_grad():
                fake = netG(sample_noise(BATCH_SIZE))
            D_fake = netD(fake).mean()
            gradient_penalty = calc_gradient_penalty(netD, real.data, fake.data)
            D_cost = D_fake - D_real + gradient_penalty
            D_cost.backward()
            optimizerD.step()

        for p in netD.parameters():
            p.requires_grad = False
        netG.zero_grad()
        G_cost = -netD(netG(sample_noise(BATCH_SIZE))).mean()
        G_cost.backward()
        optimizerG.step()

        wasserstein = (D_real - D_fake).cpu().data.numpy()
        history.append(float(wasserstein))
        print("iter %d  W %.4f  gp %.4f  G %.4f" % (iteration, wasserstein, gradient_penalty.item(), G_cost.item()))
    print("mean W", np.mean(history))


if __name__ == "__main__":
    main()
