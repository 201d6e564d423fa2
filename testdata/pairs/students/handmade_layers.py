# Deep learning from (almost) nothing: layers written by hand, nn.Parameter and autograd only
import math

import torch
from torch import nn

torch.manual_seed(2)
cuda = torch.cuda.is_available()


def xavier(n_in, n_out):
    bound = math.sqrt(6.0 / (n_in + n_out))
    return torch.empty(n_in, n_out).uniform_(-bound, bound)


class Affine(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.W = nn.Parameter(xavier(n_in, n_out))
        self.b = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return x @ self.W + self.b


class MyBatchNorm(nn.Module):
    def __init__(self, d, momentum=0.1, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d))
        self.beta = nn.Parameter(torch.zeros(d))
        self.register_buffer('running_mean', torch.zeros(d))
        self.register_buffer('running_var', torch.ones(d))
        self.momentum, self.eps = momentum, eps

    def forward(self, x):
        if self.training:
            mean, var = x.mean(0), x.var(0, unbiased=False)
            with torch.no_grad():
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (var - self.running_var)
        else:
            mean, var = self.running_mean, self.running_var
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta


class MixtureOfSlopes(nn.Module):
    """Learned activation: sum_k a_k * relu(x - t_k), one pair (a_k, t_k) for each knot."""

    def __init__(self, knots=3):
        super().__init__()
        self.slopes = nn.ParameterList()
        for k in range(knots):
            self.slopes.append(nn.Parameter(torch.full((1,), 1.0 / knots)))
        self.thresholds = nn.Parameter(torch.linspace(-1, 1, knots))

    def forward(self, x):
        out = 0
        for a, t in zip(self.slopes, self.thresholds):
            out = out + a * (x - t).clamp(min=0)
        return out


class Classifier(nn.Module):
    def __init__(self, sizes, n_classes):
        super().__init__()
        blocks = []
        for n_in, n_out in zip(sizes[:-1], sizes[1:]):
            blocks += [Affine(n_in, n_out), MyBatchNorm(n_out), MixtureOfSlopes()]
        self.blocks = nn.Sequential(*blocks)
        self.out = Affine(sizes[-1], n_classes)
        self.log_temp = nn.Parameter(torch.tensor(0.0))

    def forward(self, x):
        return self.out(self.blocks(x)) / self.log_temp.exp()


def log_softmax(z):
    z = z - z.max(dim=1, keepdim=True).values
    return z - z.exp().sum(dim=1, keepdim=True).log()


def nll(logits, y):
    return -log_softmax(logits)[torch.arange(len(y)), y].mean()


class SGD:
    def __init__(self, params, lr, momentum=0.9):
        self.params = [p for p in params if p.requires_grad]
        self.lr, self.momentum = lr, momentum
        self.velocity = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, v in zip(self.params, self.velocity):
            if p.grad is None:
                continue
            v.mul_(self.momentum).add_(p.grad)
            p.sub_(self.lr * v)

    def zero_grad(self):
        for p in self.params:
            p.grad = None


# rings: class = radius
n = 180
angle = 2 * math.pi * torch.rand(n)
target = torch.arange(n) % 3
radius = target + 0.2 * torch.randn(n) + 0.5
points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)

net = Classifier([2, 16, 16], n_classes=3)
print(sum(p.numel() for p in net.parameters()), 'parameters')
if cuda:
    net.cuda()
    points, target = points.cuda(), target.cuda()
opt = SGD(net.parameters(), lr=0.1)

for epoch in range(4):
    net.train()
    perm = torch.randperm(n)
    for i in range(0, n, 30):
        idx = perm[i:i + 30]
        loss = nll(net(points[idx]), target[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        acc = (net(points).argmax(1) == target).float().mean()
    print('epoch %d loss %.3f acc %.2f' % (epoch, loss.item(), acc))
