import itertools

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from src.config import TrainConfig
from src.ema import ModelEMA


class Trainer:
    def __init__(self, cfg: TrainConfig, model: nn.Module, train_dl: DataLoader, val_dl: DataLoader) -> None:
        self.cfg = cfg
        self.device = cfg.device
        self.train_dl, self.val_dl = train_dl, val_dl
        self.model = model.to(self.device)
        self.ema = ModelEMA(self.model, cfg.ema_decay, cfg.ema_warmup)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.history: list = []

    def corrupt(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.cfg.noise_std * torch.randn_like(x)

    def training_step(self, x: torch.Tensor) -> float:
        self.model.train()
        x = x.to(self.device)
        loss = F.mse_loss(self.model(self.corrupt(x)), x)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()

    @torch.inference_mode()
    def validate(self) -> float:
        self.model.eval()
        total = torch.zeros((), device=self.device)
        for (x,) in self.val_dl:
            x = x.to(self.device)
            total += F.mse_loss(self.model(self.corrupt(x)), x, reduction="sum") / x[0].numel()
        return total.item() / len(self.val_dl.dataset)

    def run(self) -> None:
        stream = itertools.chain.from_iterable(itertools.repeat(self.train_dl))
        for step, (x,) in zip(range(1, self.cfg.steps + 1), stream):
            self.history.append(self.training_step(x))
            self.ema.update()
            if step % self.cfg.eval_every == 0:
                with self.ema.average_parameters():
                    val = self.validate()
                recent = torch.tensor(self.history[-self.cfg.eval_every:]).mean()
                print(f"step {step:4d} train {recent:.4f} ema-val {val:.4f}")
