from contextlib import contextmanager
from typing import Dict, Iterator

import torch
from torch import Tensor, nn


class ModelEMA:
    """Exponential moving average of parameters and floating point buffers."""

    def __init__(self, model: nn.Module, decay: float, warmup: int = 0) -> None:
        self.model = model
        self.decay = decay
        self.warmup = warmup
        self.num_updates = 0
        self.shadow: Dict[str, Tensor] = {
            k: v.detach().clone() for k, v in model.state_dict().items()
        }
        self._backup: Dict[str, Tensor] = {}

    def current_decay(self) -> float:
        return min(self.decay, (1 + self.num_updates) / (self.warmup + self.num_updates))

    @torch.no_grad()
    def update(self) -> None:
        self.num_updates += 1
        d = self.current_decay()
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                self.shadow[name].lerp_(value, 1.0 - d)
            else:
                self.shadow[name].copy_(value)

    @contextmanager
    def average_parameters(self) -> Iterator[None]:
        self._backup = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
        self.model.load_state_dict(self.shadow)
        try:
            yield
        finally:
            self.model.load_state_dict(self._backup)
            self._backup = {}
