from collections import OrderedDict

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


class ConfusionMatrix:
    """Rows are the targets, columns the predictions."""

    def __init__(self, num_classes, ignore_index=255):
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.mat = torch.zeros((num_classes, num_classes), dtype=torch.int64)

    def update(self, target, pred):
        n = self.num_classes
        with torch.inference_mode():
            valid = (target != self.ignore_index) & (target < n)
            inds = n * target[valid] + pred[valid]
            self.mat += torch.bincount(inds, minlength=n ** 2).reshape(n, n).cpu()

    def reset(self):
        self.mat.zero_()

    def compute(self):
        h = self.mat.float()
        diag = torch.diag(h)
        acc_global = diag.sum() / h.sum()
        iou = diag / (h.sum(1) + h.sum(0) - diag).clamp(min=1)
        return acc_global, iou

    def __str__(self):
        acc, iou = self.compute()
        return "global correct: {:.1f}  IoU: {}  mean IoU: {:.1f}".format(
            acc.item() * 100, ["{:.1f}".format(i) for i in (iou * 100).tolist()], iou.mean().item() * 100)


class Callback:
    def on_eval_begin(self, runner): ...

    def on_batch_end(self, runner, batch, output): ...

    def on_eval_end(self, runner): ...


class SegmentationMetrics(Callback):
    def __init__(self, num_classes):
        self.confmat = ConfusionMatrix(num_classes)

    def on_eval_begin(self, runner):
        self.confmat.reset()

    def on_batch_end(self, runner, batch, output):
        self.confmat.update(batch["target"].flatten(), output["out"].argmax(1).flatten())

    def on_eval_end(self, runner):
        runner.metrics["confmat"] = str(self.confmat)


class LossMonitor(Callback):
    def __init__(self):
        self.criterion = nn.CrossEntropyLoss(ignore_index=255)

    def on_eval_begin(self, runner):
        self.meter = AverageMeter()

    def on_batch_end(self, runner, batch, output):
        loss = self.criterion(output["out"], batch["target"])
        self.meter.update(loss.item(), n=batch["image"].size(0))

    def on_eval_end(self, runner):
        runner.metrics["loss"] = self.meter.avg


class SegHead(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.layers = nn.Sequential(OrderedDict([
            ("conv1", nn.Conv2d(3, 8, 3, padding=1)), ("bn", nn.BatchNorm2d(8)), ("relu", nn.ReLU()),
            ("drop", nn.Dropout2d(0.1)), ("conv2", nn.Conv2d(8, num_classes, 1))]))

    def forward(self, x):
        return {"out": self.layers(x)}


class EvalRunner:
    def __init__(self, model, callbacks):
        self.model = model
        self.callbacks = callbacks
        self.metrics = {}

    def _emit(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, event)(self, *args)

    @torch.no_grad()
    def run(self, loader, device):
        self.model.eval()
        self._emit("on_eval_begin")
        for image, target in loader:
            batch = {"image": image.to(device), "target": target.to(device)}
            self._emit("on_batch_end", batch, self.model(batch["image"]))
        self._emit("on_eval_end")
        return self.metrics


def main():
    torch.manual_seed(0)
    num_classes = 4
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    target = torch.randint(0, num_classes, (6, 10, 10))
    target[:, :1] = 255
    loader = DataLoader(TensorDataset(torch.rand(6, 3, 10, 10), target), batch_size=2)
    model = SegHead(num_classes).to(device)
    runner = EvalRunner(model, [LossMonitor(), SegmentationMetrics(num_classes)])
    for k, v in runner.run(loader, device).items():
        print(k, v)


if __name__ == "__main__":
    main()
