# Weight uncertainty in neural networks (Blundell et al.) on a toy regression problem
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SAMPLES = 2
PI = 0.5
SIGMA_1 = torch.exp(torch.tensor(-0.0)).to(DEVICE)
SIGMA_2 = torch.exp(torch.tensor(-6.0)).to(DEVICE)


class Gaussian(object):
    def __init__(self, mu, rho):
        super().__init__()
        self.mu = mu
        self.rho = rho
        self.normal = torch.distributions.Normal(0, 1)

    @property
    def sigma(self):
        return torch.log1p(torch.exp(self.rho))

    def sample(self):
        epsilon = self.normal.sample(self.rho.size()).to(self.rho.device)
        return self.mu + self.sigma * epsilon

    def log_prob(self, input):
        return (-math.log(math.sqrt(2 * math.pi))
                - torch.log(self.sigma)
                - ((input - self.mu) ** 2) / (2 * self.sigma ** 2)).sum()


class ScaleMixtureGaussian(object):
    def __init__(self, pi, sigma1, sigma2):
        super().__init__()
        self.pi = pi
        self.gaussian1 = torch.distributions.Normal(0, sigma1)
        self.gaussian2 = torch.distributions.Normal(0, sigma2)

    def log_prob(self, input):
        lp1 = self.gaussian1.log_prob(input) + math.log(self.pi)
        lp2 = self.gaussian2.log_prob(input) + math.log(1 - self.pi)
        return torch.logaddexp(lp1, lp2).sum()


class BayesianLinear(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight_mu = nn.Parameter(torch.Tensor(out_features, in_features).uniform_(-0.2, 0.2))
        self.weight_rho = nn.Parameter(torch.Tensor(out_features, in_features).uniform_(-5, -4))
        self.bias_mu = nn.Parameter(torch.Tensor(out_features).uniform_(-0.2, 0.2))
        self.bias_rho = nn.Parameter(torch.Tensor(out_features).uniform_(-5, -4))
        self.weight = Gaussian(self.weight_mu, self.weight_rho)
        self.bias = Gaussian(self.bias_mu, self.bias_rho)
        self.weight_prior = ScaleMixtureGaussian(PI, SIGMA_1, SIGMA_2)
        self.bias_prior = ScaleMixtureGaussian(PI, SIGMA_1, SIGMA_2)
        self.log_prior = 0
        self.log_variational_posterior = 0

    def forward(self, input, sample=False):
        if self.training or sample:
            weight, bias = self.weight.sample(), self.bias.sample()
        else:
            weight, bias = self.weight.mu, self.bias.mu
        if self.training:
            self.log_prior = self.weight_prior.log_prob(weight) + self.bias_prior.log_prob(bias)
            self.log_variational_posterior = self.weight.log_prob(weight) + self.bias.log_prob(bias)
        return F.linear(input, weight, bias)


class BayesianNetwork(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.l1 = BayesianLinear(1, hidden)
        self.l2 = BayesianLinear(hidden, hidden)
        self.l3 = BayesianLinear(hidden, 1)

    def forward(self, x, sample=False):
        x = F.relu(self.l1(x, sample))
        x = F.relu(self.l2(x, sample))
        return self.l3(x, sample).squeeze(-1)

    def layers(self):
        return (self.l1, self.l2, self.l3)

    def sample_elbo(self, input, target, num_batches, samples=SAMPLES, noise_tol=0.1):
        nll = torch.zeros(samples).to(DEVICE)
        kl = torch.zeros(samples).to(DEVICE)
        for i in range(samples):
            out = self(input, sample=True)
            nll[i] = F.mse_loss(out, target, reduction="sum") / (2 * noise_tol ** 2)
            kl[i] = sum(l.log_variational_posterior - l.log_prior for l in self.layers())
        return kl.mean() / num_batches + nll.mean()


def toy_function(x):
    return x + 0.3 * np.sin(2 * np.pi * x) + 0.3 * np.sin(4 * np.pi * x)


def predict(net, grid, n=10):
    net.eval()
    with torch.no_grad():
        ys = torch.stack([net(grid.to(DEVICE), sample=True).cpu() for _ in range(n)])
    return ys.mean(0).numpy(), ys.std(0).numpy()


if __name__ == "__main__":
    torch.manual_seed(0)
    np.random.seed(0)
    x = np.random.uniform(0, 0.5, size=(64, 1)).astype(np.float32)
    y = (toy_function(x) + 0.02 * np.random.randn(*x.shape)).astype(np.float32)
    loader = DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y[:, 0])), batch_size=16, shuffle=True)
    net = BayesianNetwork().to(DEVICE)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(3):
        net.train()
        for xb, yb in loader:
            xb, yb = xb.to(DEVICE), yb.to(DEVICE)
            net.zero_grad()
            loss = net.sample_elbo(xb, yb, len(loader))
            loss.backward()
            optimizer.step()
        mean, std = predict(net, torch.linspace(-0.2, 0.8, 21).unsqueeze(1))
        print(f"epoch {epoch} elbo {loss.item():.1f} max std {std.max():.3f}")
