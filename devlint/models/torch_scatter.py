"""torch_scatter: reductions of a tensor by an index."""

from __future__ import annotations

from devlint.facts.effect import Agrees, Fact, Many
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"torch_scatter\.(\w+\.)?(scatter|segment_co\w|segment_csr)_(max|min)", Many("src index")),
    (r"torch_scatter\.(\w+\.)?(gather|scatter|segment|softmax)\w*", Agrees("src index")),
)

MODEL = LibraryModel[Run](packages=frozenset({"torch_scatter"}), patterns=_PATTERNS)
