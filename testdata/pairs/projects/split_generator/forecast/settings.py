import dataclasses

import torch


@dataclasses.dataclass
class Settings:
    seed: int = 5
    model: str = "gru"
    n_series: int = 60
    length: int = 20
    context: int = 14
    horizon: int = 6
    batch_size: int = 12
    epochs: int = 2
    lr: float = 0.01
    jitter: float = 0.02
    val_frac: float = 0.2
    device: str = "cuda:0" if torch.cuda.is_available() else "cpu"


def load(argv):
    s = Settings()
    fields = {f.name: f.type for f in dataclasses.fields(s)}
    for item in argv:
        key, _, value = item.partition("=")
        setattr(s, key, fields[key](value))
    return s
