import torch


def pairwise_sq(x):
    sq = x.pow(2).sum(1)
    d = sq[:, None] + sq[None, :] - 2 * x @ x.t()
    return d.clamp(min=0)


def same_label(labels):
    eq = labels[:, None] == labels[None, :]
    eye = torch.eye(labels.size(0), dtype=torch.bool, device=labels.device)
    return eq & ~eye, ~eq
