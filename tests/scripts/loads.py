"""Exits with 0 if plain torch loads a checkpoint, with weights only and on the CPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import torch


def devices(value: Any) -> Iterator[str]:
    """Of the tensors in a value, however deep."""
    if isinstance(value, torch.Tensor):
        yield value.device.type
    elif isinstance(value, dict):
        yield from devices(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from devices(each)


if __name__ == "__main__":
    loaded = torch.load(sys.argv[1], weights_only=True)
    sys.exit(set(devices(loaded)) != {"cpu"})
