"""segmentation_models_pytorch: models."""

from __future__ import annotations

from devlint.facts.effect import Model
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

MODEL = LibraryModel[Run](
    packages=frozenset({"segmentation_models_pytorch"}),
    patterns=((r"segmentation_models_pytorch\.[A-Z]\w*", Model("")),),
)
