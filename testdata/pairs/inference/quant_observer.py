# Post-training quantisation simulation: calibrate activation ranges, then compare fp32 against int8.
import copy
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F


def absmax_weight_scale(w, qmax):
    return w.detach().abs().flatten(1).amax(1).clamp(min=1e-8) / qmax


def fake_quant(x, scale, qmax):
    return torch.clamp(torch.round(x / scale), -qmax - 1, qmax) * scale


class MovingAbsMaxObserver(nn.Module):
    """Per-channel running |x|max of an activation laid out as (N, C, ...)."""

    def __init__(self, channels, momentum=0.9, bits=8):
        super().__init__()
        self.momentum = momentum
        self.qmax = 2 ** (bits - 1) - 1
        self.register_buffer("absmax", torch.zeros(channels))
        self.register_buffer("batches", torch.tensor(0))

    @torch.no_grad()
    def observe(self, x):
        cur = x.detach().abs().transpose(0, 1).flatten(1).amax(1)
        if self.batches == 0:
            new = torch.maximum(self.absmax, cur)
        else:
            new = self.momentum * self.absmax + (1 - self.momentum) * cur
        self.absmax = new
        self.batches += 1

    @property
    def scale(self):
        return self.absmax.clamp(min=1e-8) / self.qmax


class QuantConv2d(nn.Module):
    def __init__(self, conv, bits=8):
        super().__init__()
        self.conv = conv
        self.bits = bits
        self.observer = MovingAbsMaxObserver(conv.in_channels, bits=bits)
        self.register_buffer("w_scale", absmax_weight_scale(conv.weight, self.observer.qmax))
        self.mode = "float"

    def forward(self, x):
        if self.mode == "calibrate":
            self.observer.observe(x)
        if self.mode != "quant":
            return self.conv(x)
        qmax = self.observer.qmax
        xq = fake_quant(x, self.observer.scale.view(1, -1, 1, 1), qmax)
        wq = fake_quant(self.conv.weight, self.w_scale.view(-1, 1, 1, 1), qmax)
        return F.conv2d(xq, wq, self.conv.bias, self.conv.stride, self.conv.padding)


def convert(module, bits=8):
    for name, child in module.named_children():
        if isinstance(child, nn.Conv2d):
            setattr(module, name, QuantConv2d(child, bits))
        else:
            convert(child, bits)
    return module


def set_mode(model, mode):
    for m in model.modules():
        if isinstance(m, QuantConv2d):
            m.mode = mode


def sqnr(ref, out):
    return 10 * torch.log10(ref.pow(2).sum() / (ref - out).pow(2).sum().clamp(min=1e-12))


def build():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(),
        nn.Sequential(nn.Conv2d(16, 16, 3, padding=1), nn.ReLU()),
        nn.Conv2d(16, 8, 1), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 10),
    )


def main():
    bits_list = [int(b) for b in sys.argv[1:]] or [8, 4]
    torch.manual_seed(0)
    fp32 = build().eval()
    calib = [torch.randn(4, 3, 12, 12) for _ in range(3)]
    test = torch.randn(8, 3, 12, 12)

    if torch.cuda.is_available():
        test = test.cuda()
    fp32.to(test.device)
    with torch.no_grad():
        reference = fp32(test)
        for bits in bits_list:
            q = convert(copy.deepcopy(fp32).cpu(), bits).to(test.device)
            set_mode(q, "calibrate")
            for batch in calib:
                q(batch.to(test.device))
            set_mode(q, "quant")
            out = q(test)
            agree = (out.argmax(1) == reference.argmax(1)).float().mean().item()
            print("int%d: SQNR %.2f dB, agreement %.2f" % (bits, sqnr(reference, out).item(), agree))


if __name__ == "__main__":
    main()
