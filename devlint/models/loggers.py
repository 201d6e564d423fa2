"""Loggers of training runs: they read what they are given where it is, and keep none of it."""

from __future__ import annotations

from devlint.facts.effect import Fact, Inert, Opaque
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.model_runners import Runs

_WRITER = "writer"
_WRITES = (
    "add_audio add_custom_scalars add_embedding add_figure add_hparams add_histogram "
    "add_histogram_raw add_image add_image_with_boxes add_images add_mesh add_onnx_graph "
    "add_pr_curve add_scalar add_scalars add_tensor add_text add_video close flush"
)
_GRAPH = Runs("-model -input_to_model")

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"tensorboardX\.(\w+\.)?SummaryWriter", Opaque("", _WRITER)),
    (r"wandb\.(init|log|watch|unwatch|finish|save|alert)", Inert("")),
)

MODEL = LibraryModel[Run](
    packages=frozenset({"tensorboardX", "wandb"}),
    patterns=_PATTERNS,
    methods={_WRITER: {**dict.fromkeys(_WRITES.split(), Inert("")), "add_graph": _GRAPH}},
)
