"""The loaders of timm, which send batches ahead to a device, and its averages of models.

Source: timm 1.0.31, `data/loader.py` and `utils/model_ema.py`.
"""

from __future__ import annotations

from devlint.facts.effect import Fact, Model
from devlint.facts.library import Averages, Serves

PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"timm\.(models\.)?create_model", Model("")),
    (
        r"timm\.data\.(loader\.)?create_loader",
        Serves("-dataset -input_size -batch_size", otherwise="cuda", switch="use_prefetcher"),
    ),
    (r"timm\.utils\.(model_ema\.)?ModelEma", Averages("-model -decay -device", "ema", 2)),
    (r"timm\.utils\.(model_ema\.)?ModelEmaV2", Averages("-model -decay -device", "module", 2)),
    (r"timm\.utils\.(model_ema\.)?ModelEmaV3", Averages("-model -decay", "module")),
    (r"timm\.data\.(loader\.)?PrefetchLoader", Serves("-loader", otherwise="cuda")),
)
