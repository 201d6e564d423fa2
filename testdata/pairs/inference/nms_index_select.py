"""Single-stage detector post-processing without torchvision."""
from typing import Dict, List, Optional

import torch
import torch.nn as nn
from torch import Tensor

DEVICE = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
STRIDE = 8
IMG_SIZE = 64


def box_area(boxes: Tensor) -> Tensor:
    return (boxes[:, 2] - boxes[:, 0]).clamp(min=0) * (boxes[:, 3] - boxes[:, 1]).clamp(min=0)


def box_iou(a: Tensor, b: Tensor) -> Tensor:
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    union = box_area(a)[:, None] + box_area(b)[None, :] - inter
    return inter / union.clamp(min=1e-6)


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Greedy non-maximum suppression; indices of the kept boxes, by decreasing score."""
    if boxes.numel() == 0:
        return torch.empty(0, dtype=torch.long, device=boxes.device)
    order = scores.argsort(descending=True)
    overlaps = (box_iou(boxes[order], boxes[order]) > iou_threshold).cpu().numpy()
    order = order.tolist()
    suppressed = [False] * len(order)
    keep: List[int] = []
    for i, idx in enumerate(order):
        if suppressed[i]:
            continue
        keep.append(idx)
        for j in range(i + 1, len(order)):
            if overlaps[i, j]:
                suppressed[j] = True
    return torch.as_tensor(keep, dtype=torch.long, device=boxes.device)


def batched_nms(boxes: Tensor, scores: Tensor, labels: Tensor, iou_threshold: float) -> Tensor:
    if boxes.numel() == 0:
        return nms(boxes, scores, iou_threshold)
    offsets = labels.to(boxes) * (boxes.max() + 1)
    return nms(boxes + offsets[:, None], scores, iou_threshold)


class Detector(nn.Module):
    def __init__(self, num_classes: int = 5):
        super().__init__()
        self.num_classes = num_classes
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.SiLU(),
            nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.SiLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.SiLU(),
        )
        self.reg = nn.Conv2d(32, 4, 1)
        self.cls = nn.Conv2d(32, num_classes, 1)
        ys, xs = torch.meshgrid(
            torch.arange(IMG_SIZE // STRIDE), torch.arange(IMG_SIZE // STRIDE), indexing="ij")
        centers = (torch.stack([xs, ys], -1).reshape(-1, 2).float() + 0.5) * STRIDE
        self.register_buffer("centers", centers, persistent=False)

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        f = self.stem(x)
        ltrb = self.reg(f).flatten(2).transpose(1, 2).exp() * STRIDE
        logits = self.cls(f).flatten(2).transpose(1, 2)
        boxes = torch.cat([self.centers - ltrb[..., :2], self.centers + ltrb[..., 2:]], -1)
        return {"boxes": boxes.clamp(0, IMG_SIZE), "scores": logits.sigmoid()}


class PostProcess:
    def __init__(self, score_thr: float = 0.4, iou_thr: float = 0.5, topk: Optional[int] = 20):
        self.score_thr = score_thr
        self.iou_thr = iou_thr
        self.topk = topk

    @torch.no_grad()
    def __call__(self, outputs: Dict[str, Tensor], scale: Tensor) -> List[Dict[str, Tensor]]:
        results = []
        for boxes, probs, s in zip(outputs["boxes"], outputs["scores"], scale):
            scores, labels = probs.max(-1)
            sel = scores > self.score_thr
            boxes, scores, labels = boxes[sel], scores[sel], labels[sel]
            keep = batched_nms(boxes, scores, labels, self.iou_thr)
            if self.topk is not None:
                keep = keep[: self.topk]
            results.append({
                "scores": scores[keep],
                "labels": labels[keep],
                "boxes": torch.index_select(boxes, 0, keep) * s,
            })
        return results


def main():
    torch.manual_seed(0)
    model = Detector().to(DEVICE).eval()
    post = PostProcess()
    rows = []
    for step in range(2):
        images = torch.rand(2, 3, IMG_SIZE, IMG_SIZE, device=DEVICE)
        sizes = torch.tensor([1.5, 2.0])
        with torch.no_grad():
            out = model(images)
        for img_id, det in enumerate(post(out, sizes)):
            for b, sc, lb in zip(det["boxes"].tolist(), det["scores"].tolist(), det["labels"].tolist()):
                rows.append((step * 2 + img_id, lb, round(sc, 3), [round(v, 1) for v in b]))
    print(len(rows), "detections;", rows[:2])


if __name__ == "__main__":
    main()
