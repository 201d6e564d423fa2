import torch


def extract(a, t, x_shape):
    """Pick a[t] for each sample and make it broadcast over x_shape."""
    out = a.gather(-1, t)
    return out.reshape(t.shape[0], *((1,) * (len(x_shape) - 1)))


def cycle(loader):
    while True:
        for (x,) in loader:
            yield x


def num_params(module):
    return sum(p.numel() for p in module.parameters() if p.requires_grad)


def timestep_embedding(t, dim, max_period=10000.0):
    half = dim // 2
    freqs = torch.pow(max_period, -torch.arange(half, device=t.device) / half)
    ang = t.float()[:, None] * freqs[None]
    return torch.cat([ang.sin(), ang.cos()], dim=-1)
