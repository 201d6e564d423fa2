"""Diffusers: models."""

from __future__ import annotations

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

MODEL = LibraryModel[Run](packages=frozenset({"diffusers"}), moves=True, bases=("ModelMixin",))
