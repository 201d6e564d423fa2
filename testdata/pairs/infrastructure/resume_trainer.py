import json
import logging
import math
import os
from dataclasses import asdict, dataclass
from typing import Any, Dict, Optional, Tuple

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset, RandomSampler

logger = logging.getLogger(__name__)


@dataclass
class TrainingArguments:
    output_dir: str
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    batch_size: int = 8
    max_steps: int = 20
    warmup_steps: int = 2
    save_steps: int = 10
    max_grad_norm: float = 1.0
    seed: int = 0
    no_cuda: bool = False

    def __post_init__(self):
        if self.max_steps <= 0:
            raise ValueError("max_steps must be positive")

    @property
    def device(self) -> torch.device:
        if self.no_cuda or not torch.cuda.is_available():
            return torch.device("cpu")
        return torch.device("cuda", 0)


@dataclass
class TrainerState:
    global_step: int = 0
    epoch: int = 0
    best_loss: float = math.inf

    def save_to_json(self, path: str) -> None:
        with open(path, "w") as f:
            json.dump(asdict(self), f, indent=2, sort_keys=True)

    @classmethod
    def load_from_json(cls, path: str) -> "TrainerState":
        with open(path) as f:
            return cls(**json.load(f))


def get_last_checkpoint(folder: str) -> Optional[str]:
    if not os.path.isdir(folder):
        return None
    steps = [int(n.split("-")[1]) for n in os.listdir(folder) if n.startswith("checkpoint-")]
    return os.path.join(folder, f"checkpoint-{max(steps)}") if steps else None


class Trainer:
    """Trains ``model``, which returns a dict with a ``loss``."""

    def __init__(self, model: nn.Module, args: TrainingArguments, train_dataset: Dataset, collate_fn=None):
        self.model = model
        self.args = args
        self.train_dataset = train_dataset
        self.collate_fn = collate_fn
        self.state = TrainerState()
        self.optimizer: Optional[torch.optim.Optimizer] = None
        self.lr_scheduler: Optional[LambdaLR] = None

    def get_train_dataloader(self) -> DataLoader:
        generator = torch.Generator()
        generator.manual_seed(self.args.seed + self.state.epoch)
        sampler = RandomSampler(self.train_dataset, generator=generator)
        return DataLoader(
            self.train_dataset, batch_size=self.args.batch_size, sampler=sampler, collate_fn=self.collate_fn
        )

    def create_optimizer_and_scheduler(self) -> Tuple[torch.optim.Optimizer, LambdaLR]:
        decay = [p for p in self.model.parameters() if p.requires_grad and p.dim() > 1]
        no_decay = [p for p in self.model.parameters() if p.requires_grad and p.dim() <= 1]
        self.optimizer = torch.optim.AdamW(
            [{"params": decay, "weight_decay": self.args.weight_decay}, {"params": no_decay, "weight_decay": 0.0}],
            lr=self.args.learning_rate,
        )
        warmup, total = self.args.warmup_steps, self.args.max_steps

        def schedule(step: int) -> float:
            if step < warmup:
                return step / max(1, warmup)
            return max(0.0, (total - step) / max(1, total - warmup))

        self.lr_scheduler = LambdaLR(self.optimizer, schedule)
        return self.optimizer, self.lr_scheduler

    def _prepare_inputs(self, inputs: Dict[str, Any]) -> Dict[str, Any]:
        return {k: v.to(self.args.device) if isinstance(v, torch.Tensor) else v for k, v in inputs.items()}

    def _save_checkpoint(self) -> None:
        folder = os.path.join(self.args.output_dir, f"checkpoint-{self.state.global_step}")
        os.makedirs(folder, exist_ok=True)
        torch.save(self.model.state_dict(), os.path.join(folder, "pytorch_model.bin"))
        torch.save(self.optimizer.state_dict(), os.path.join(folder, "optimizer.pt"))
        torch.save(self.lr_scheduler.state_dict(), os.path.join(folder, "scheduler.pt"))
        self.state.save_to_json(os.path.join(folder, "trainer_state.json"))

    def _load_checkpoint(self, folder: str) -> None:
        logger.info("Resuming from %s", folder)
        self.model.load_state_dict(torch.load(os.path.join(folder, "pytorch_model.bin"), map_location="cpu"))
        self.optimizer.load_state_dict(torch.load(os.path.join(folder, "optimizer.pt"), map_location="cpu"))
        self.lr_scheduler.load_state_dict(torch.load(os.path.join(folder, "scheduler.pt")))
        self.state = TrainerState.load_from_json(os.path.join(folder, "trainer_state.json"))

    def training_step(self, inputs: Dict[str, Any]) -> torch.Tensor:
        self.model.train()
        loss = self.model(**self._prepare_inputs(inputs))["loss"]
        loss.backward()
        if self.args.max_grad_norm > 0:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.args.max_grad_norm)
        self.optimizer.step()
        self.lr_scheduler.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def train(self, resume_from_checkpoint: Optional[str] = None) -> TrainerState:
        self.model.to(self.args.device)
        self.create_optimizer_and_scheduler()
        if resume_from_checkpoint is not None:
            self._load_checkpoint(resume_from_checkpoint)

        tr_loss = torch.tensor(0.0, device=self.args.device)
        while self.state.global_step < self.args.max_steps:
            for inputs in self.get_train_dataloader():
                loss = self.training_step(inputs)
                tr_loss += torch.nan_to_num(loss)
                self.state.global_step += 1
                self.state.best_loss = min(self.state.best_loss, loss.item())
                if self.state.global_step % self.args.save_steps == 0:
                    self._save_checkpoint()
                if self.state.global_step >= self.args.max_steps:
                    break
            self.state.epoch += 1
        logger.info("mean loss %.4f", tr_loss.item() / max(1, self.state.global_step))
        return self.state
