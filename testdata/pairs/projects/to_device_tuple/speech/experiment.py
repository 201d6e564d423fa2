from dataclasses import dataclass

import torch

from speech.criterion import SmoothedCTC
from speech.data import build_loader
from speech.models import MODELS
from speech.utils import RunningAverage, edit_distance, to_device


@dataclass
class ExperimentConfig:
    model: str
    epochs: int = 1
    batch_size: int = 8
    n_mels: int = 6
    lr: float = 1e-2
    device: str = "auto"
    seed: int = 0

    def resolve_device(self):
        if self.device == "auto":
            return torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
        return torch.device(self.device)


class Experiment:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = cfg.resolve_device()

    def prepare(self):
        torch.manual_seed(self.cfg.seed)
        c = self.cfg
        self.train_loader = build_loader(36, c.n_mels, c.batch_size, seed=1, train=True)
        self.dev_loader = build_loader(12, c.n_mels, c.batch_size, seed=2, train=False)
        self.model = MODELS[c.model](c.n_mels, vocab=c.n_mels).to(self.device)
        self.criterion = SmoothedCTC()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=c.lr)

    def train_epoch(self):
        self.model.train()
        avg = RunningAverage()
        for batch in self.train_loader:
            batch = to_device(batch, self.device)
            log_probs, lengths = self.model(batch["inputs"], batch["input_lengths"])
            loss = self.criterion(log_probs, lengths, batch["targets"])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            avg.add(loss.item(), n=len(batch["utt"]))
        return float(avg)

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        errors = total = 0
        for batch in self.dev_loader:
            batch = to_device(batch, self.device)
            hyps = self.model.greedy(*self.model(batch["inputs"], batch["input_lengths"]))
            labels, lens = batch["targets"]
            for hyp, ref, n in zip(hyps, labels.tolist(), lens.tolist()):
                errors += edit_distance(hyp, ref[:n])
                total += n
        return errors / total
