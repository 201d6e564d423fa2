"""Data sets of the Hugging Face Hub."""

from __future__ import annotations

from devlint.facts.effect import Opaque
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

MODEL = LibraryModel[Run](
    packages=frozenset({"datasets"}),
    patterns=((r"datasets\.load_dataset", Opaque("-path", "dataset")),),
)
