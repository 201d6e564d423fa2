"""Second-stage scoring of a variable number of proposals per image."""
from typing import List, NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Proposals(NamedTuple):
    boxes: Tensor       # (P, 4), all images together
    image_idx: Tensor   # (P,)


class Detections(NamedTuple):
    boxes: Tensor
    scores: Tensor
    labels: Tensor


class ProposalNet(nn.Module):
    def __init__(self, ch: int = 16, thr: float = 0.5):
        super().__init__()
        self.conv = nn.Conv2d(3, ch, 3, stride=4, padding=1)
        self.obj = nn.Conv2d(ch, 1, 1)
        self.delta = nn.Conv2d(ch, 2, 1)
        self.thr = thr

    def forward(self, images: Tensor):
        feat = F.relu(self.conv(images))
        obj = self.obj(feat).sigmoid().squeeze(1)
        size = self.delta(feat).sigmoid() * 16 + 2
        n, y, x = (obj >= obj.flatten(1).quantile(self.thr, dim=1)[:, None, None]).nonzero(as_tuple=True)
        w, h = size[n, 0, y, x], size[n, 1, y, x]
        cx, cy = x * 4.0 + 2, y * 4.0 + 2
        boxes = torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], dim=1)
        return feat, Proposals(boxes, n)


class RoIPool(nn.Module):
    def __init__(self, out_size: int = 3, stride: float = 4.0):
        super().__init__()
        self.out_size = out_size
        self.stride = stride
        steps = (torch.arange(out_size) + 0.5) / out_size
        self.register_buffer("steps", steps, persistent=False)

    def forward(self, feat: Tensor, props: Proposals) -> Tensor:
        h, w = feat.shape[-2:]
        b = props.boxes / self.stride
        xs = b[:, 0:1] + self.steps * (b[:, 2:3] - b[:, 0:1])
        ys = b[:, 1:2] + self.steps * (b[:, 3:4] - b[:, 1:2])
        scale = torch.tensor([w, h], dtype=feat.dtype, device=feat.device)
        grid = torch.stack([
            xs[:, None, :].expand(-1, self.out_size, -1),
            ys[:, :, None].expand(-1, -1, self.out_size),
        ], dim=-1)
        grid = 2 * grid / scale - 1
        return F.grid_sample(feat[props.image_idx], grid, align_corners=False)


class TwoStage(nn.Module):
    def __init__(self, classes: int = 3, ch: int = 16):
        super().__init__()
        self.rpn = ProposalNet(ch)
        self.pool = RoIPool()
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(ch * 9, 32), nn.ReLU(), nn.Linear(32, classes + 1))

    def forward(self, images: Tensor) -> List[Detections]:
        feat, props = self.rpn(images)
        logits = self.head(self.pool(feat, props))
        return self.postprocess(props, logits, images.size(0))

    def postprocess(self, props: Proposals, logits: Tensor, num_images: int, k: int = 5) -> List[Detections]:
        probs = logits.softmax(-1)[:, 1:]
        counts = torch.bincount(props.image_idx, minlength=num_images)
        bounds = counts.cumsum(0)[:-1].cpu()
        results = []
        for boxes, p in zip(props.boxes.tensor_split(bounds), probs.tensor_split(bounds)):
            scores, labels = p.max(dim=1)
            top = scores.topk(min(k, scores.numel())).indices
            results.append(Detections(boxes[top], scores[top], labels[top] + 1))
        return results


def to_records(dets: List[Detections], names: List[str]) -> List[dict]:
    records = []
    for image_id, d in enumerate(dets):
        boxes = d.boxes.cpu().numpy().round(1)
        for box, s, l in zip(boxes, d.scores.tolist(), d.labels.tolist()):
            records.append({"image_id": image_id, "category": names[l], "score": round(s, 3), "bbox": box.tolist()})
    return records


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")
    model = TwoStage().to(device).eval()
    names = ["background", "car", "person", "bike"]
    with torch.no_grad():
        for batch in torch.rand(4, 3, 32, 32).split(2):
            recs = to_records(model(batch.to(device)), names)
            print(len(recs), recs[0])
