"""Quasi-random numbers: engines that draw on the CPU, whatever uses what they draw."""

from __future__ import annotations

from devlint.facts.dimensions import Size
from devlint.facts.effect import Fact, Makes, Opaque
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel

_ENGINE = "torch.quasirandom.SobolEngine"
_METHODS: dict[str, Fact] = {
    "draw": Makes("-n", Size.ARRAY, honours_default=False),
    "draw_base2": Makes("-m", Size.ARRAY, honours_default=False),
}

MODEL = LibraryModel[Run](
    packages=frozenset({"torch"}),
    patterns=((r"torch\.quasirandom\.SobolEngine", Opaque("-dimension", _ENGINE)),),
    methods={_ENGINE: _METHODS},
    words=frozenset({"SobolEngine"}),
)
