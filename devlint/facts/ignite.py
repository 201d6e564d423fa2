"""PyTorch-Ignite: engines, and helpers that place what they are given.

Since 0.4 an engine moves batches and leaves models where they are. Its metrics bring what they are
given to their own device. Source: pytorch-ignite 0.5.5, `engine/__init__.py` and
`distributed/auto.py`.
"""

from __future__ import annotations

from devlint.facts.effect import Fact, NamesDevice, Opaque
from devlint.facts.library import Converts, Distributes, Processes, Supervises

_REPLACED = ("prepare_batch", "model_transform", "model_fn")

PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"ignite\.distributed\.(utils\.)?device", NamesDevice("", is_chosen=True)),
    (r"ignite\.distributed\.(auto\.)?auto_model", Distributes("-model -sync_bn")),
    (r"ignite\.distributed\.(auto\.)?auto_dataloader", Opaque("~dataset", "loader")),
    (r"ignite\.(utils|_utils)\.convert_tensor", Converts("-x -device -non_blocking")),
    (r"ignite\.engine\._prepare_batch", Converts("-batch -device -non_blocking")),
    (r"ignite\.engine\.create_supervised_trainer", Supervises("-model", 3, _REPLACED)),
    (r"ignite\.engine\.create_supervised_evaluator", Supervises("-model", 2, _REPLACED)),
    (r"ignite\.engine\.(engine\.)?Engine", Processes("-process_function")),
)
