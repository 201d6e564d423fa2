"""Long-tailed image classification with re-weighted losses."""

import argparse
import copy

import torch
from torch.utils.data import DataLoader, Dataset

from longtail.engine import Trainer
from longtail.losses import build_loss
from longtail.models import build_model


class LongTailImages(Dataset):
    def __init__(self, num_samples, num_classes, imb_factor=0.1):
        self.num_classes = num_classes
        probs = imb_factor ** (torch.arange(num_classes) / max(num_classes - 1, 1))
        self.targets = torch.multinomial(probs / probs.sum(), num_samples, replacement=True)
        self.protos = torch.randn(num_classes, 3, 8, 8)

    def samples_per_class(self):
        return torch.bincount(self.targets, minlength=self.num_classes).clamp(min=1).tolist()

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        y = self.targets[i]
        return self.protos[y] + 0.5 * torch.randn(3, 8, 8), y


def default_config():
    return {
        "seed": 3,
        "data": {"num_samples": 128, "num_classes": 5},
        "model": {"name": "tiny_conv", "width": 8},
        "loss": {"name": "focal", "gamma": 2.0, "beta": 0.999},
        "train": {"epochs": 2, "batch_size": 16, "lr": 1e-2, "momentum": 0.9},
    }


def merge(base, override):
    out = copy.deepcopy(base)
    for key, value in override.items():
        if isinstance(value, dict) and key in out:
            out[key] = merge(out[key], value)
        else:
            out[key] = value
    return out


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--loss", default="focal", choices=["focal", "balanced_softmax"])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main():
    args = parse_args()
    cfg = merge(default_config(), {"loss": {"name": args.loss}, "train": {"epochs": args.epochs}})
    torch.manual_seed(cfg["seed"])

    train_set = LongTailImages(cfg["data"]["num_samples"], cfg["data"]["num_classes"], imb_factor=0.1)
    val_set = LongTailImages(64, cfg["data"]["num_classes"], imb_factor=1.0)
    train_loader = DataLoader(train_set, batch_size=cfg["train"]["batch_size"], shuffle=True)
    val_loader = DataLoader(val_set, batch_size=cfg["train"]["batch_size"])

    model = build_model(cfg["model"], num_classes=cfg["data"]["num_classes"])
    criterion = build_loss(cfg["loss"], samples_per_class=train_set.samples_per_class())

    trainer = Trainer(model, criterion, cfg["train"], device=args.device)
    trainer.fit(train_loader, val_loader)


if __name__ == "__main__":
    main()
