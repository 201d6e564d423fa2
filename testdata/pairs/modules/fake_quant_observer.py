import logging
from typing import Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F

log = logging.getLogger("qat")


class ObserverBase(nn.Module):
    def __init__(self, bits: int = 8, symmetric: bool = True):
        super().__init__()
        self.symmetric = symmetric
        self.qmin, self.qmax = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if symmetric else (0, 2 ** bits - 1)
        self.register_buffer("eps", torch.tensor([torch.finfo(torch.float32).eps]))

    def _qparams(self, lo: torch.Tensor, hi: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        lo = torch.clamp(lo, max=0.0)
        hi = torch.clamp(hi, min=0.0)
        if self.symmetric:
            scale = torch.max(-lo, hi) / ((self.qmax - self.qmin) / 2)
            zero_point = torch.zeros_like(scale)
            return torch.clamp(scale, min=1e-8), zero_point
        scale = (hi - lo) / float(self.qmax - self.qmin)
        scale = torch.max(scale, self.eps)
        zero_point = self.qmin - torch.round(lo / scale)
        return scale, torch.clamp(zero_point, self.qmin, self.qmax)


class MovingAverageObserver(ObserverBase):
    """Per-tensor activation observer."""

    def __init__(self, momentum: float = 0.1, **kw):
        super().__init__(**kw)
        self.momentum = momentum
        self.register_buffer("min_val", torch.tensor(float("inf")))
        self.register_buffer("max_val", torch.tensor(float("-inf")))

    def forward(self, x):
        lo, hi = x.detach().aminmax()
        if torch.isinf(self.min_val):
            self.min_val.copy_(lo)
            self.max_val.copy_(hi)
        else:
            self.min_val.lerp_(lo, self.momentum)
            self.max_val.lerp_(hi, self.momentum)
        return self._qparams(self.min_val, self.max_val)


class PerChannelObserver(ObserverBase):
    """Per-output-channel weight observer."""

    def __init__(self, ch_axis: int = 0, **kw):
        super().__init__(**kw)
        self.ch_axis = ch_axis

    def forward(self, w):
        flat = w.detach().transpose(0, self.ch_axis).flatten(1)
        scale, zp = self._qparams(flat.amin(1), flat.amax(1))
        shape = [1] * w.dim()
        shape[self.ch_axis] = -1
        return scale.view(shape), zp.view(shape)


class FakeQuantize(nn.Module):
    def __init__(self, observer: ObserverBase):
        super().__init__()
        self.observer = observer
        self.register_buffer("enabled", torch.tensor(True))

    def forward(self, x):
        scale, zp = self.observer(x)
        if not self.enabled:
            return x
        q = torch.clamp(torch.round(x / scale) + zp, self.observer.qmin, self.observer.qmax)
        return x + ((q - zp) * scale - x).detach()


class QConv2d(nn.Conv2d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.weight_fq = FakeQuantize(PerChannelObserver(symmetric=True))
        self.act_fq = FakeQuantize(MovingAverageObserver(symmetric=False))

    def forward(self, x):
        y = self._conv_forward(x, self.weight_fq(self.weight), self.bias)
        return self.act_fq(F.relu(y))


class QNet(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.conv1 = QConv2d(1, 8, 3, padding=1)
        self.conv2 = QConv2d(8, 16, 3, stride=2, padding=1)
        self.fc = nn.Linear(16, num_classes)

    def forward(self, x):
        x = self.conv2(self.conv1(x))
        return self.fc(x.mean((2, 3)))

    def set_quant(self, on: bool):
        for m in self.modules():
            if isinstance(m, FakeQuantize):
                m.enabled.fill_(on)


def loop(model, n, device, opt=None):
    for i in range(n):
        x = torch.rand(8, 1, 12, 12, device=device)
        y = torch.randint(10, (8,), device=device)
        loss = F.cross_entropy(model(x), y)
        if opt:
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(0)
    device = torch.device(f"cuda:{torch.cuda.current_device()}") if torch.cuda.is_available() else torch.device("cpu")
    model = QNet().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model.set_quant(False)
    log.info("calibration loss %.4f", loop(model, 2, device))
    model.set_quant(True)
    log.info("qat loss %.4f", loop(model, 4, device, opt))
    for name, m in model.named_modules():
        if isinstance(m, MovingAverageObserver):
            log.info("%s range [%.3f, %.3f]", name, m.min_val, m.max_val)


if __name__ == "__main__":
    main()
