"""einops: functions and layers that leave tensors where they are."""

from __future__ import annotations

from devlint.facts.dimensions import Rank
from devlint.facts.effect import Agrees, Fact, Layer, Many
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (r"einops\.(rearrange|repeat)", Agrees("*tensor -pattern", Rank.ARRAY)),
    (r"einops\.reduce", Agrees("*tensor -pattern")),
    (r"einops\.einsum", Agrees("*tensors")),
    (r"einops\.(un)?pack", Many("*tensor -pattern")),
    (r"einops\.layers\.torch\.EinMix", Layer("-pattern", holds_state=True)),
    (r"einops\.layers\.torch\.[A-Z]\w*", Layer("-pattern")),
)

MODEL = LibraryModel[Run](packages=frozenset({"einops"}), patterns=_PATTERNS)
