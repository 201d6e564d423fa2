"""timm: models, loaders which send batches ahead to a device, and averages of models.

Source: timm 1.0.31, `data/loader.py` and `utils/model_ema.py`.
"""

from __future__ import annotations

from devlint.facts.effect import Fact, Model
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models import model_averages, prefetch_loaders
from devlint.models.model_averages import Averages
from devlint.models.prefetch_loaders import Serves

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"timm\.(models\.)?create_model", Model("")),
    (r"timm\.(layers|models)\.(\w+\.)*[A-Z]\w*", Model("", is_layer=True)),
    (
        r"timm\.data\.(loader\.)?create_loader",
        Serves("-dataset -input_size -batch_size", otherwise="cuda", switch="use_prefetcher"),
    ),
    (r"timm\.utils\.(model_ema\.)?ModelEma", Averages("-model -decay -device", "ema", 2)),
    (r"timm\.utils\.(model_ema\.)?ModelEmaV2", Averages("-model -decay -device", "module", 2)),
    (r"timm\.utils\.(model_ema\.)?ModelEmaV3", Averages("-model -decay", "module")),
    (r"timm\.data\.(loader\.)?PrefetchLoader", Serves("-loader", otherwise="cuda")),
)

MODEL = LibraryModel[Run](
    packages=frozenset({"timm"}),
    moves=True,
    patterns=_PATTERNS,
    handlers={Averages: model_averages.made, Serves: prefetch_loaders.made},
    analyses=(model_averages.ModelAverages,),
    words=frozenset({"create_loader", "PrefetchLoader"}),
)
