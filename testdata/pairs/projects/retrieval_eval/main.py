import torch

from retrieval.data import make_loaders
from retrieval.evaluators import build_evaluators
from retrieval.model import TwoTower
from retrieval.trainer import Trainer


class Config(dict):
    """A dict with attribute access."""

    __getattr__ = dict.__getitem__

    @classmethod
    def from_dict(cls, d):
        return cls({k: cls.from_dict(v) if isinstance(v, dict) else v for k, v in d.items()})


def main():
    cfg = Config.from_dict({
        "model": {"dim": 16, "vocab": 40},
        "data": {"pairs": 96, "batch_size": 16, "length": 6},
        "train": {"epochs": 2, "lr": 5e-3, "temperature": 0.1},
        "evaluators": [{"type": "recall", "ks": [1, 5]}, {"type": "mrr"}, {"type": "score_histogram", "bins": 5}],
    })
    torch.manual_seed(0)
    train_loader, val_loader = make_loaders(cfg.data, cfg.model.vocab)
    model = TwoTower(cfg.model.vocab, cfg.model.dim)
    if torch.cuda.is_available():
        model.cuda()
    trainer = Trainer(model, cfg.train, build_evaluators(cfg.evaluators))
    for epoch in range(cfg.train.epochs):
        loss = trainer.train_epoch(train_loader)
        metrics = trainer.validate(val_loader)
        print(epoch, f"loss={loss:.3f}", " ".join(f"{k}={v}" for k, v in metrics.items()))


if __name__ == "__main__":
    main()
