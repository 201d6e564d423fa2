import argparse
import math

import torch
from torch import nn
from torch.nn import functional as F


def parse_args():
    p = argparse.ArgumentParser("segmentation test-time augmentation")
    p.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
    p.add_argument("--angles", type=float, nargs="+", default=[-15.0, 0.0, 15.0])
    p.add_argument("--merge", choices=["mean", "gmean"], default="mean")
    p.add_argument("--batches", type=int, default=2)
    return p.parse_args()


class SegNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(inplace=True),
            nn.Conv2d(12, 12, 3, padding=2, dilation=2), nn.ReLU(inplace=True),
        )
        self.cls = nn.Conv2d(12, classes, 1)

    def forward(self, x):
        return self.cls(self.body(x))


class Merger:
    def __init__(self, mode):
        self.mode = mode
        self.total = None
        self.n = 0

    def append(self, probs):
        value = probs.clamp_min(1e-6).log() if self.mode == "gmean" else probs
        self.total = value if self.total is None else self.total + value
        self.n += 1

    @property
    def result(self):
        avg = self.total / self.n
        return avg.exp() if self.mode == "gmean" else avg


class RotateFlipTTA(nn.Module):
    """Rotates by small angles, flips, averages the class probabilities in the original frame."""

    def __init__(self, model, angles, merge="mean"):
        super().__init__()
        self.model = model
        self.merge = merge
        self.angles = [torch.tensor(math.radians(a)) for a in angles]

    def _theta(self, angle, images):
        n, _, h, w = images.shape
        cos, sin = torch.cos(angle), torch.sin(angle)
        theta = images.new_zeros(n, 2, 3)
        theta[:, 0, 0] = cos
        theta[:, 0, 1] = -sin * h / w
        theta[:, 1, 0] = sin * w / h
        theta[:, 1, 1] = cos
        return theta

    def _warp(self, images, angle):
        if angle == 0:
            return images
        grid = F.affine_grid(self._theta(angle, images), list(images.shape), align_corners=False)
        return F.grid_sample(images, grid, padding_mode="border", align_corners=False)

    def forward(self, images):
        merger = Merger(self.merge)
        for angle in self.angles:
            for flip in (False, True):
                aug = self._warp(images, angle)
                if flip:
                    aug = aug.flip(-1)
                probs = self.model(aug).softmax(1)
                if flip:
                    probs = probs.flip(-1)
                merger.append(self._warp(probs, -angle))
        return merger.result


def miou(pred, target, classes):
    ious = []
    for c in range(classes):
        inter = ((pred == c) & (target == c)).sum().item()
        union = ((pred == c) | (target == c)).sum().item()
        if union:
            ious.append(inter / union)
    return sum(ious) / len(ious)


def main():
    args = parse_args()
    torch.manual_seed(3)
    model = SegNet().to(args.device)
    model.eval()
    tta = RotateFlipTTA(model, args.angles, args.merge)
    plain, augmented = 0.0, 0.0
    with torch.inference_mode():
        for _ in range(args.batches):
            images = torch.rand(2, 3, 24, 32).to(args.device)
            target = torch.randint(0, 4, (2, 24, 32)).to(args.device)
            plain += miou(model(images).argmax(1), target, 4)
            augmented += miou(tta(images).argmax(1), target, 4)
    print("mIoU plain %.4f | tta %.4f" % (plain / args.batches, augmented / args.batches))


if __name__ == "__main__":
    main()
