import torch
import torch.nn as nn
import torch.nn.functional as F


class Config:
    def __init__(self, **kw):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.batch = 4
        self.size = 32
        self.width = 8
        self.iters = 3
        self.__dict__.update(kw)


def binomial(n):
    row = torch.ones(1)
    for _ in range(n - 1):
        row = F.pad(row, (1, 0)) + F.pad(row, (0, 1))
    k = torch.outer(row, row)
    return k / k.sum()


class BlurPool(nn.Module):
    """Anti-aliased downsampling. The fixed filter is kept out of the state dict."""

    def __init__(self, channels, size=3, stride=2):
        super().__init__()
        self.channels, self.size, self.stride = channels, size, stride
        self.filt = binomial(size)[None, None].repeat(channels, 1, 1, 1)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.filt = fn(self.filt)
        return self

    def forward(self, x):
        p = self.size // 2
        x = F.pad(x, (p, p, p, p), mode="reflect")
        return F.conv2d(x, self.filt, stride=self.stride, groups=self.channels)


class SobelEdges(nn.Module):
    def __init__(self):
        super().__init__()
        k = torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])
        self.register_buffer("kernel", torch.stack([k, k.t()]).unsqueeze(1))

    def forward(self, x):
        gray = x.mean(1, keepdim=True)
        g = F.conv2d(gray, self.kernel, padding=1)
        return g.pow(2).sum(1, keepdim=True).add(1e-6).sqrt()


class Down(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(4, cout), nn.SiLU(), BlurPool(cout)
        )

    def forward(self, x):
        return self.body(x)


class Up(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)

    def forward(self, x, skip):
        x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return F.silu(self.conv(torch.cat([x, skip], 1)))


class RestorationUNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.d1, self.d2 = Down(width, 2 * width), Down(2 * width, 4 * width)
        self.u2, self.u1 = Up(6 * width, 2 * width), Up(3 * width, width)
        self.out = nn.Conv2d(width, 3, 1)

    def forward(self, x):
        s = self.stem(x)
        a = self.d1(s)
        b = self.d2(a)
        return x + self.out(self.u1(self.u2(b, a), s))


class EdgeLoss(nn.Module):
    def __init__(self, weight=0.1):
        super().__init__()
        self.sobel = SobelEdges()
        self.weight = torch.tensor(weight)

    def forward(self, pred, target):
        return F.l1_loss(pred, target) + self.weight * F.l1_loss(self.sobel(pred), self.sobel(target))


def degrade(clean, pool):
    noisy = clean + 0.1 * torch.randn_like(clean)
    small = pool(noisy)
    return F.interpolate(small, size=clean.shape[-2:], mode="nearest")


def psnr(pred, target):
    return -10 * torch.log10(F.mse_loss(pred, target))


def main(cfg):
    torch.manual_seed(0)
    degrader = BlurPool(3, size=5).to(cfg.device)
    model = RestorationUNet(cfg.width).to(cfg.device)
    criterion = EdgeLoss().to(cfg.device)
    optim = torch.optim.Adam(model.parameters(), lr=1e-3)

    for it in range(cfg.iters):
        clean = torch.rand(cfg.batch, 3, cfg.size, cfg.size).to(cfg.device)
        with torch.no_grad():
            bad = degrade(clean, degrader)
        pred = model(bad)
        loss = criterion(pred, clean)
        optim.zero_grad(set_to_none=True)
        loss.backward()
        optim.step()
        print(f"iter {it} loss {loss.item():.4f} psnr {psnr(pred.detach(), clean).item():.2f}")


if __name__ == "__main__":
    main(Config(batch=2))
