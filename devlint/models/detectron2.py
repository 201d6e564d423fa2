"""Detectron2: structures that are moved as tensors are."""

from __future__ import annotations

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.moved_copies import MovedAsCopy, made

_STRUCTURES = r"detectron2\.structures\.(Instances|Boxes|ImageList\.from_tensors)"

MODEL = LibraryModel[Run](
    packages=frozenset({"detectron2"}),
    moves=True,
    patterns=((_STRUCTURES, MovedAsCopy("")),),
    handlers={MovedAsCopy: made},
)
