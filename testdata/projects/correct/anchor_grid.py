"""Decode a detector's boxes with a grid made for each feature map."""

from typing import List, Tuple

import torch
from torch import Tensor, nn


class Detect(nn.Module):
    def __init__(self, classes: int, anchors: List[Tuple[int, int]]) -> None:
        super().__init__()
        self.outputs = classes + 5
        self.count = len(anchors)
        self.register_buffer("anchors", torch.tensor(anchors).float().view(1, -1, 1, 1, 2))
        self.conv = nn.Conv2d(8, self.outputs * self.count, 1)

    def forward(self, x: Tensor) -> Tensor:
        batch, _, height, width = x.shape
        p = self.conv(x).view(batch, self.count, self.outputs, height, width)
        p = p.permute(0, 1, 3, 4, 2).sigmoid()
        grid = self.make_grid(height, width, x.device)
        xy = (p[..., :2] * 2 - 0.5 + grid) * 8
        wh = (p[..., 2:4] * 2) ** 2 * self.anchors
        return torch.cat((xy, wh, p[..., 4:]), dim=-1).view(batch, -1, self.outputs)

    @staticmethod
    def make_grid(height: int, width: int, device: torch.device) -> Tensor:
        rows = torch.arange(height, device=device)
        columns = torch.arange(width, device=device)
        y, x = torch.meshgrid(rows, columns, indexing="ij")
        return torch.stack((x, y), dim=2).view(1, 1, height, width, 2).float()


def box_iou(first: Tensor, second: Tensor) -> Tensor:
    low = torch.max(first[:, None, :2], second[:, :2])
    high = torch.min(first[:, None, 2:], second[:, 2:])
    inner = (high - low).clamp(min=0).prod(dim=2)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(dim=1) for boxes in (first, second)]
    return inner / (areas[0][:, None] + areas[1] - inner + 1e-7)


class DetectionLoss:
    def __init__(self, model: Detect, gamma: float = 1.5) -> None:
        device = next(model.parameters()).device
        self.gamma = gamma
        self.balance = torch.tensor([4.0, 1.0, 0.4], device=device)
        self.bce = nn.BCELoss()

    def __call__(self, predictions: Tensor, targets: Tensor) -> Tensor:
        target = torch.zeros_like(predictions[..., 4])
        target[:, 0] = 1.0
        objectness = self.bce(predictions[..., 4], target)
        box = predictions[0, :4, :4]
        overlap = 1 - box_iou(box, targets).mean()
        parts = torch.stack([objectness, overlap, predictions[..., 5:].pow(self.gamma).mean()])
        return (parts * self.balance).sum()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Detect(3, [(10, 13), (16, 30)]).to(device)
    criterion = DetectionLoss(model)
    boxes = torch.tensor([[0.0, 0.0, 9.0, 9.0], [4.0, 4.0, 20.0, 20.0]]).to(device)
    loss = criterion(model(torch.randn(2, 8, 4, 4, device=device)), boxes)
    loss.backward()
    print(loss.item())
