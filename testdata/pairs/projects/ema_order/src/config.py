from dataclasses import dataclass, field

import torch


def _pick_device() -> torch.device:
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


@dataclass
class TrainConfig:
    steps: int = 100
    batch_size: int = 4
    base_channels: int = 8
    lr: float = 2e-3
    ema_decay: float = 0.999
    ema_warmup: int = 4
    eval_every: int = 6
    noise_std: float = 0.3
    device: torch.device = field(default_factory=_pick_device)
