"""The Hugging Face Hub: classes of modules that it loads and saves."""

from __future__ import annotations

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

MODEL = LibraryModel[Run](packages=frozenset({"huggingface_hub"}), bases=("PyTorchModelHubMixin",))
