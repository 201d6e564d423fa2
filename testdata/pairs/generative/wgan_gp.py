import torch
import torch.nn as nn
from torch import autograd
from torch.utils.data import DataLoader, TensorDataset

use_cuda = torch.cuda.is_available()
LAMBDA = 10
CRITIC_ITERS = 2
BATCH_SIZE = 16
LATENT_DIM = 8


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find('Conv') != -1:
        m.weight.data.normal_(0.0, 0.02)
    elif classname.find('Norm') != -1:
        m.weight.data.normal_(1.0, 0.02)
        m.bias.data.fill_(0)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.preprocess = nn.Sequential(nn.Linear(LATENT_DIM, 16 * 2 * 2), nn.ReLU(True))
        self.block1 = nn.Sequential(nn.ConvTranspose2d(16, 8, 2, stride=2), nn.BatchNorm2d(8), nn.ReLU(True))
        self.deconv_out = nn.ConvTranspose2d(8, 1, 2, stride=2)

    def forward(self, z):
        output = self.preprocess(z).view(-1, 16, 2, 2)
        output = self.block1(output)
        return torch.tanh(self.deconv_out(output))


class Critic(nn.Module):
    def __init__(self):
        super(Critic, self).__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, 8, 3, 2, padding=1), nn.LeakyReLU(),
            nn.Conv2d(8, 16, 3, 2, padding=1), nn.LeakyReLU(),
        )
        self.linear = nn.Linear(16 * 2 * 2, 1)

    def forward(self, x):
        return self.linear(self.main(x).view(-1, 16 * 2 * 2))


def calc_gradient_penalty(netD, real_data, fake_data):
    batch_size = real_data.size(0)
    alpha = torch.rand(batch_size, 1, 1, 1)
    if use_cuda:
        alpha = alpha.cuda()
    interpolates = alpha * real_data + (1 - alpha) * fake_data
    interpolates.requires_grad_(True)
    disc_interpolates = netD(interpolates)
    gradients = autograd.grad(outputs=disc_interpolates, inputs=interpolates,
                              grad_outputs=torch.ones_like(disc_interpolates),
                              create_graph=True, retain_graph=True, only_inputs=True)[0]
    gradients = gradients.view(batch_size, -1)
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean() * LAMBDA


def sample_latent(n):
    noise = torch.randn(n, LATENT_DIM)
    return noise.cuda() if use_cuda else noise


def infinite(loader):
    while True:
        for (x,) in loader:
            yield x


def main():
    torch.manual_seed(1)
    data = torch.tanh(torch.randn(64, 1, 8, 8))
    loader = infinite(DataLoader(TensorDataset(data), batch_size=BATCH_SIZE, shuffle=True, drop_last=True))

    netG, netD = Generator(), Critic()
    netG.apply(weights_init)
    netD.apply(weights_init)
    if use_cuda:
        netG, netD = netG.cuda(), netD.cuda()
    fixed_noise = sample_latent(4)

    optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-4, betas=(0.5, 0.9))
    optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-4, betas=(0.5, 0.9))

    one = torch.tensor(1.0)
    mone = one * -1
    history = torch.zeros(3, 2)

    for iteration in range(3):
        for p in netD.parameters():
            p.requires_grad = True
        for _ in range(CRITIC_ITERS):
            real = next(loader)
            if use_cuda:
                real = real.cuda()
            netD.zero_grad()
            with torch.no_grad():
                fake = netG(sample_latent(BATCH_SIZE))
            D_real, D_fake = netD(real).mean(), netD(fake).mean()
            penalty = calc_gradient_penalty(netD, real, fake)
            D_cost = D_fake - D_real + penalty
            D_cost.backward()
            optimizerD.step()

        for p in netD.parameters():
            p.requires_grad = False
        netG.zero_grad()
        G_cost = mone * netD(netG(sample_latent(BATCH_SIZE))).mean()
        G_cost.backward()
        optimizerG.step()

        history[iteration, 0] = D_cost.detach()
        history[iteration, 1] = G_cost.detach()

    netG.eval()
    with torch.no_grad():
        samples = netG(fixed_noise).cpu().numpy()
    print(history.mean(0).tolist(), samples.shape)


if __name__ == '__main__':
    main()
