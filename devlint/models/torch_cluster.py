"""torch_cluster: neighbours and samples of points."""

from __future__ import annotations

from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models.point_functions import points

MODEL = LibraryModel[Run](
    packages=frozenset({"torch_cluster"}), patterns=points(r"torch_cluster\.(\w+\.)?")
)
