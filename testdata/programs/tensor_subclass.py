"""Boxes with a format, a subclass of `Tensor` by `__torch_function__`, in a detector's loss."""

import torch
from torch import nn

device = torch.device("cuda")


class Boxes(torch.Tensor):
    @staticmethod
    def __new__(cls, data, form="xyxy"):
        boxes = torch.as_tensor(data).as_subclass(cls)
        boxes.form = form
        return boxes

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        result = super().__torch_function__(func, types, args, kwargs or {})
        form = next((a.form for a in args if hasattr(a, "form")), "xyxy")
        for each in result if isinstance(result, tuple) else (result,):
            if isinstance(each, cls):
                each.form = form
        return result

    def area(self):
        sides = self[:, 2:] - self[:, :2] if self.form == "xyxy" else self[:, 2:]
        return sides.clamp(min=0).prod(1)


def overlap(left, right):
    corner = torch.maximum(left[:, None, :2], right[None, :, :2])  # crash 1
    sides = (torch.minimum(left[:, None, 2:], right[None, :, 2:]) - corner).clamp(min=0)
    shared = sides.prod(2)
    return shared / (left.area()[:, None] + right.area()[None] - shared)


targets = Boxes(torch.tensor([[0.0, 0.0, 4.0, 4.0], [2.0, 2.0, 8.0, 6.0]])).to(device)
# bug 1: targets = Boxes(torch.tensor([[0.0, 0.0, 4.0, 4.0], [2.0, 2.0, 8.0, 6.0]]))  # born 1
anchors = Boxes(torch.rand(20, 4, device=device).cumsum(1) * 4)
head = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
best, matched = overlap(anchors, targets).max(1)
positive = torch.zeros(20, device=device)
# bug 2: positive = torch.zeros(20)  # born 2
positive[best > 0.3] = 1.0
for _ in range(3):
    scores = head(anchors.as_subclass(torch.Tensor)).squeeze(1)
    loss = nn.functional.binary_cross_entropy_with_logits(scores, positive)  # crash 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(matched.tolist(), anchors.form, loss.item())
