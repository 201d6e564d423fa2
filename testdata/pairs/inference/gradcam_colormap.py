import math
import os
import tempfile
from typing import Optional

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def jet_table(n: int = 256) -> torch.Tensor:
    t = torch.linspace(0, 1, n)
    r = (1.5 - (4 * t - 3).abs()).clamp(0, 1)
    g = (1.5 - (4 * t - 2).abs()).clamp(0, 1)
    b = (1.5 - (4 * t - 1).abs()).clamp(0, 1)
    return torch.stack([r, g, b], dim=1)


COLORMAP = jet_table()


class ConvNet(nn.Module):
    def __init__(self, num_classes: int = 6):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(),
        )
        self.classifier = nn.Linear(24, num_classes)

    def forward(self, x):
        return self.classifier(self.features(x).mean(dim=(2, 3)))


class GradCAM:
    def __init__(self, model: nn.Module, target_layer: nn.Module):
        self.model = model
        self.activations = None
        self.gradients = None
        target_layer.register_forward_hook(self._save_activation)

    def _save_activation(self, module, inp, out):
        self.activations = out
        out.register_hook(self._save_gradient)

    def _save_gradient(self, grad):
        self.gradients = grad

    def __call__(self, images: torch.Tensor, class_idx: Optional[torch.Tensor] = None) -> torch.Tensor:
        self.model.zero_grad(set_to_none=True)
        logits = self.model(images)
        if class_idx is None:
            class_idx = logits.argmax(dim=1)
        one_hot = torch.zeros_like(logits).scatter_(1, class_idx.unsqueeze(1), 1.0)
        (logits * one_hot).sum().backward()

        weights = self.gradients.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activations).sum(1, keepdim=True)).detach()
        cam = F.interpolate(cam, size=images.shape[-2:], mode="bilinear", align_corners=False).squeeze(1)
        flat = cam.flatten(1)
        lo, hi = flat.min(1).values, flat.max(1).values
        return (cam - lo[:, None, None]) / (hi - lo + 1e-8)[:, None, None]


def overlay(images: torch.Tensor, cams: torch.Tensor, alpha: float = 0.45) -> np.ndarray:
    """uint8 array of shape (N, H, W, 3)"""
    levels = (cams * 255).round().long().cpu()
    heat = COLORMAP[levels]
    rgb = images.detach().cpu().permute(0, 2, 3, 1)
    blended = (1 - alpha) * rgb + alpha * heat.to(rgb)
    return blended.clamp(0, 1).mul(255).byte().numpy()


def contact_sheet(frames: np.ndarray, pad: int = 2) -> np.ndarray:
    n, h, w, c = frames.shape
    cols = math.ceil(math.sqrt(n))
    rows = math.ceil(n / cols)
    sheet = np.full((rows * (h + pad) + pad, cols * (w + pad) + pad, c), 255, dtype=np.uint8)
    for i, frame in enumerate(frames):
        r, q = divmod(i, cols)
        y, x = pad + r * (h + pad), pad + q * (w + pad)
        sheet[y:y + h, x:x + w] = frame
    return sheet


def write_ppm(path: str, img: np.ndarray) -> None:
    with open(path, "wb") as f:
        f.write(b"P6 %d %d 255\n" % (img.shape[1], img.shape[0]))
        f.write(np.ascontiguousarray(img).tobytes())


def main():
    torch.manual_seed(1)
    model = ConvNet().to(DEVICE).eval()
    cam = GradCAM(model, model.features[-1])
    images = torch.rand(5, 3, 20, 20)
    targets = torch.tensor([0, 1, 2, 3, 4])
    heat = cam(images.to(DEVICE), targets.to(DEVICE))
    sheet = contact_sheet(overlay(images, heat))
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, "gradcam.ppm")
        write_ppm(out, sheet)
        print(sheet.shape, os.path.getsize(out), "bytes; mean activation", round(heat.mean().item(), 4))


if __name__ == "__main__":
    main()
