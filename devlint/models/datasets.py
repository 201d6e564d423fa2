"""Data sets of the Hugging Face Hub."""

from __future__ import annotations

from devlint.facts.effect import Opaque, Wraps
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

#: Methods of data sets that give a data set.
_CHAINED = "shuffle map filter select with_format with_transform copy index_select batch take skip"

MODEL = LibraryModel[Run](
    packages=frozenset({"datasets"}),
    patterns=((r"datasets\.load_dataset", Opaque("-path", "dataset")),),
    methods={"dataset": dict.fromkeys(_CHAINED.split(), Wraps("self"))},
)
