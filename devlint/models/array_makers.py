"""Objects that make NumPy arrays of what their methods are given: estimators and axes."""

from __future__ import annotations

from devlint.facts.exports import ROLES
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

MODEL = LibraryModel[Run](methods=ROLES, grids=frozenset({"axes"}))
