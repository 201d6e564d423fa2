import torch

from src.data.synthetic import ClinicalDataset, build_loader
from src.engine.losses import MultiTaskLoss
from src.engine.trainer import MultiTaskTrainer
from src.models import MultiTaskNet

TASKS = {
    "mortality": {"type": "binary"},
    "los": {"type": "regression"},
    "phenotype": {"type": "multilabel", "num_labels": 4},
}


def run(seed=0, epochs=2):
    torch.manual_seed(seed)
    loader = build_loader(ClinicalDataset(48, n_features=6, tasks=TASKS), batch_size=8)
    model = MultiTaskNet(n_features=6, hidden=16, tasks=TASKS)
    criterion = MultiTaskLoss(TASKS)
    trainer = MultiTaskTrainer(model, criterion, lr=1e-2)
    for ep in range(epochs):
        log = trainer.epoch(loader)
        print(f"epoch {ep}: " + ", ".join(f"{k} {v:.3f}" for k, v in log.items()))


if __name__ == "__main__":
    run()
