from dataclasses import dataclass

import torch


@dataclass
class LMConfig:
    vocab_size: int
    block_size: int = 16
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 16
    window: int = 8
    dropout: float = 0.0
    batch_size: int = 4
    max_steps: int = 10
    lr: float = 1e-2
    device: str = "cuda" if torch.cuda.is_available() else "cpu"
