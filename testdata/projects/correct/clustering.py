"""k-means as functions that take their device from the points."""

import torch


def initial_centers(points, k, generator):
    weights = torch.ones(len(points), device=points.device)
    return points[torch.multinomial(weights, k, generator=generator)]


def assign(points, centers):
    return torch.cdist(points, centers).argmin(dim=1)


def update(points, labels, k):
    sums = torch.zeros(k, points.shape[1], dtype=points.dtype, device=points.device)
    sums.index_add_(0, labels, points)
    counts = torch.bincount(labels, minlength=k).clamp(min=1)
    return sums / counts.unsqueeze(1)


def kmeans(points, k, rounds=5, seed=0):
    generator = torch.Generator(device=points.device).manual_seed(seed)
    centers = initial_centers(points, k, generator)
    for _ in range(rounds):
        labels = assign(points, centers)
        centers = update(points, labels, k)
    one_hot = torch.eye(k, device=points.device)[labels]
    spread = (one_hot.t() @ (points - centers[labels]).pow(2)).sum()
    return centers, labels, spread


def main():
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    offsets = torch.tensor([[0.0, 0.0], [5.0, 5.0], [0.0, 5.0]], device=device)
    points = torch.randn(30, 2, device=device) + offsets.repeat_interleave(10, dim=0)
    centers, labels, spread = kmeans(points, 3)
    print(centers.cpu().tolist(), labels.bincount().tolist(), spread.item())


if __name__ == "__main__":
    main()
