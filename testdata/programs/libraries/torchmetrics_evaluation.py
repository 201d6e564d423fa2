"""Evaluates a segmenter with a collection of metrics that live on the device."""

import torch
from torch import nn
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import (
    MulticlassConfusionMatrix,
    MulticlassF1Score,
    MulticlassJaccardIndex,
)
from torchmetrics.image import PeakSignalNoiseRatio

device = "cuda"
CLASSES = 4
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, CLASSES, 1)).to(device)
metrics = MetricCollection(
    {
        "iou": MulticlassJaccardIndex(CLASSES),
        "f1": MulticlassF1Score(CLASSES, average="macro"),
        "cells": MulticlassConfusionMatrix(CLASSES),  # born 1
    }
).to(device)
# bug 1: )
losses = MeanMetric().to(device)
psnr = PeakSignalNoiseRatio(data_range=1.0).to(device)
# bug 2: psnr = PeakSignalNoiseRatio(data_range=1.0)  # born 2
model.eval()
with torch.no_grad():
    for _ in range(3):
        images = torch.rand(2, 3, 8, 8, device=device)
        labels = torch.randint(0, CLASSES, (2, 8, 8), device=device)
        logits = model(images)
        losses.update(nn.functional.cross_entropy(logits, labels))
        metrics.update(logits, labels)  # crash 1
        psnr.update(logits.sigmoid()[:, :3], images)  # crash 2
found = {name: value.cpu() for name, value in metrics.compute().items()}
print(
    found["iou"].item(),
    found["cells"].numpy().sum(),
    losses.compute().item(),
    psnr.compute().item(),
)
metrics.reset()
