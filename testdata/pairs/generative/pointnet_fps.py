import torch
import torch.nn as nn
import torch.nn.functional as F


def pc_normalize(pc):
    pc = pc - pc.mean(dim=1, keepdim=True)
    scale = pc.norm(dim=-1).amax(dim=1)
    return pc / scale[:, None, None]


def square_distance(src, dst):
    dist = -2 * torch.matmul(src, dst.permute(0, 2, 1))
    dist += (src ** 2).sum(-1)[:, :, None]
    dist += (dst ** 2).sum(-1)[:, None, :]
    return dist.clamp_(min=0)


def index_points(points, idx):
    """
    points: [B, N, C], idx: [B, S] or [B, S, K]
    return: [B, S, C] or [B, S, K, C]
    """
    B = points.shape[0]
    view = [B] + [1] * (idx.dim() - 1)
    batch_indices = torch.arange(B, device=points.device).view(view).expand_as(idx)
    return points[batch_indices, idx]


def farthest_point_sample(xyz, npoint):
    B, N, _ = xyz.shape
    centroids = torch.zeros(B, npoint, dtype=torch.long, device=xyz.device)
    distance = torch.ones(B, N, device=xyz.device) * 1e10
    farthest = torch.randint(0, N, (B,)).to(xyz.device)
    for i in range(npoint):
        centroids[:, i] = farthest
        centroid = index_points(xyz, farthest[:, None])
        dist = torch.sum((xyz - centroid) ** 2, -1)
        mask = dist < distance
        distance[mask] = dist[mask]
        farthest = torch.max(distance, -1)[1]
    return centroids


def query_ball_point(radius, nsample, xyz, new_xyz):
    B, N, _ = xyz.shape
    S = new_xyz.shape[1]
    group_idx = torch.arange(N, dtype=torch.long).to(xyz.device).view(1, 1, N).repeat([B, S, 1])
    group_idx[square_distance(new_xyz, xyz) > radius ** 2] = N
    group_idx = group_idx.sort(dim=-1)[0][:, :, :nsample]
    group_first = group_idx[:, :, :1].repeat([1, 1, nsample])
    mask = group_idx == N
    group_idx[mask] = group_first[mask]
    return group_idx


class PointNetSetAbstraction(nn.Module):
    def __init__(self, npoint, radius, nsample, in_channel, mlp, group_all=False):
        super().__init__()
        self.npoint, self.radius, self.nsample, self.group_all = npoint, radius, nsample, group_all
        self.convs, self.bns = nn.ModuleList(), nn.ModuleList()
        last = in_channel
        for out in mlp:
            self.convs.append(nn.Conv2d(last, out, 1))
            self.bns.append(nn.BatchNorm2d(out))
            last = out

    def forward(self, xyz, points):
        if self.group_all:
            new_xyz = torch.zeros_like(xyz[:, :1])
            grouped = torch.cat([xyz, points], dim=-1)[:, None]
        else:
            new_xyz = index_points(xyz, farthest_point_sample(xyz, self.npoint))
            idx = query_ball_point(self.radius, self.nsample, xyz, new_xyz)
            grouped = index_points(xyz, idx) - new_xyz[:, :, None]
            if points is not None:
                grouped = torch.cat([grouped, index_points(points, idx)], dim=-1)
        x = grouped.permute(0, 3, 2, 1)
        for conv, bn in zip(self.convs, self.bns):
            x = F.relu(bn(conv(x)))
        return new_xyz, x.amax(dim=2).permute(0, 2, 1)


class PointNet2Cls(nn.Module):
    def __init__(self, num_class):
        super().__init__()
        self.sa1 = PointNetSetAbstraction(16, 0.4, 8, 3, [16, 16])
        self.sa2 = PointNetSetAbstraction(None, None, None, 16 + 3, [32], group_all=True)
        self.fc = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Dropout(0.4), nn.Linear(16, num_class))

    def forward(self, xyz):
        l1_xyz, l1 = self.sa1(xyz, None)
        _, l2 = self.sa2(l1_xyz, l1)
        return self.fc(l2.squeeze(1))


def make_shapes(n, num_points=48):
    """spheres vs. boxes"""
    pts = torch.randn(n, num_points, 3)
    labels = torch.arange(n) % 2
    sphere = pts / pts.norm(dim=-1, keepdim=True)
    box = pts / pts.abs().amax(dim=-1, keepdim=True)
    pts = torch.where(labels[:, None, None] == 0, sphere, box)
    return pc_normalize(pts + 0.01 * torch.randn_like(pts)), labels


def random_scale(points, lo=0.8, hi=1.25):
    scales = torch.empty(points.shape[0], 1, 1).uniform_(lo, hi)
    return points * scales


def main():
    torch.manual_seed(0)
    gpu = torch.cuda.is_available()
    points, labels = make_shapes(32)
    classifier = PointNet2Cls(2)
    if gpu:
        classifier = classifier.cuda()
    optimizer = torch.optim.Adam(classifier.parameters(), lr=1e-3)
    for epoch in range(2):
        perm = torch.randperm(len(points))
        correct = 0
        for chunk in perm.split(8):
            pts, target = random_scale(points[chunk]), labels[chunk]
            if gpu:
                pts, target = pts.cuda(), target.cuda()
            pred = classifier(pts)
            loss = F.cross_entropy(pred, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            correct += pred.argmax(1).eq(target).cpu().sum()
        print(f"epoch {epoch}: loss {loss.item():.3f} acc {correct.item() / len(points):.3f}")


if __name__ == "__main__":
    main()
