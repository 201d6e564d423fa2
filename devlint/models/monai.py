"""MONAI: layers."""

from __future__ import annotations

from devlint.facts.effect import Model
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

_LAYERS = r"monai\.(\w+\.)*(nn|nets|layers)\.(\w+\.)*[A-Z]\w*"

MODEL = LibraryModel[Run](
    packages=frozenset({"monai"}), patterns=((_LAYERS, Model("", is_layer=True)),)
)
