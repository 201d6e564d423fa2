import time

import torch
import torch.nn as nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class GatherPointsFn(Function):
    """features (B, C, N), idx (B, M) -> (B, C, M)"""

    @staticmethod
    def forward(ctx, features, idx):
        B, C, N = features.shape
        ctx.save_for_backward(idx)
        ctx.dims = (B, C, N)
        return features.gather(2, idx.unsqueeze(1).expand(-1, C, -1))

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        idx, = ctx.saved_tensors
        B, C, N = ctx.dims
        grad_features = torch.zeros(B, C, N, dtype=grad_out.dtype, device=grad_out.device)
        grad_features.scatter_add_(2, idx.unsqueeze(1).expand(-1, C, -1), grad_out.contiguous())
        return grad_features, None


class RoundSTE(Function):
    @staticmethod
    def forward(ctx, x, step):
        ctx.in_range = x.abs() <= 1.0
        return torch.round(x / step) * step

    @staticmethod
    def backward(ctx, g):
        return g * ctx.in_range, None


gather_points = GatherPointsFn.apply
round_ste = RoundSTE.apply


def farthest_point_sample(xyz, m):
    B, N, _ = xyz.shape
    chosen = torch.zeros(B, m, dtype=torch.long, device=xyz.device)
    dist = torch.full((B, N), 1e10, device=xyz.device)
    far = torch.zeros(B, dtype=torch.long).to(xyz.device)
    rows = torch.arange(B, device=xyz.device)
    for i in range(m):
        chosen[:, i] = far
        d = (xyz - xyz[rows, far].unsqueeze(1)).pow(2).sum(-1)
        dist = torch.minimum(dist, d)
        far = dist.argmax(-1)
    return chosen


class SetAbstraction(nn.Module):
    def __init__(self, cin, cout, npoint):
        super().__init__()
        self.npoint = npoint
        self.mlp = nn.Sequential(nn.Conv1d(cin, cout, 1), nn.BatchNorm1d(cout), nn.ReLU())

    def forward(self, xyz, feat):
        feat = self.mlp(feat)
        with torch.no_grad():
            idx = farthest_point_sample(xyz, self.npoint)
        new_xyz = torch.gather(xyz, 1, idx.unsqueeze(-1).expand(-1, -1, 3))
        return new_xyz, gather_points(feat, idx)


class PointNetLite(nn.Module):
    def __init__(self, num_class=4):
        super().__init__()
        self.sa1 = SetAbstraction(3, 16, 24)
        self.sa2 = SetAbstraction(16, 32, 8)
        self.register_buffer('step', torch.tensor(0.05))
        self.fc = nn.Linear(32, num_class)

    def forward(self, xyz):
        p, f = self.sa1(xyz, xyz.transpose(1, 2))
        p, f = self.sa2(p, f)
        f = round_ste(torch.tanh(f), self.step)
        return self.fc(f.max(-1)[0])


def rand_cloud(n, pts, num_class):
    y = torch.randint(0, num_class, (n,))
    x = torch.randn(n, pts, 3) * (1 + y.view(-1, 1, 1).float() * 0.3)
    return x, y


def main():
    torch.manual_seed(0)
    use_cuda = torch.cuda.is_available()
    net = PointNetLite()
    if use_cuda:
        net = net.cuda()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-4)
    lossfn = nn.CrossEntropyLoss()

    points, target = rand_cloud(8, 40, 4)
    net.eval()
    with torch.no_grad():
        warm = net(points.cuda() if use_cuda else points)
    print('sanity check', tuple(warm.shape))

    net.train()
    t0 = time.time()
    for it in range(3):
        points, target = rand_cloud(8, 40, 4)
        if use_cuda:
            points, target = points.cuda(), target.cuda()
        optimizer.zero_grad()
        loss = lossfn(net(points), target)
        loss.backward()
        optimizer.step()
        print('iter %d loss %.4f' % (it, loss.item()))
    print('done in %.1fs' % (time.time() - t0))


if __name__ == '__main__':
    main()
