"""efficientnet_pytorch: models."""

from __future__ import annotations

from devlint.facts.effect import Model
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

MODEL = LibraryModel[Run](
    packages=frozenset({"efficientnet_pytorch"}),
    patterns=((r"efficientnet_pytorch\.EfficientNet\.from_(name|pretrained)", Model("")),),
)
