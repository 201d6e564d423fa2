"""The iterators of torchtext before 0.12, which later stood in `torchtext.legacy`.

From 0.3 on their batches are on the CPU unless a device is given; before, on the current GPU, and
`-1` was the CPU. Source: torchtext 0.6.0, `data/iterator.py` and `data/field.py`.
"""

from __future__ import annotations

from devlint.facts.effect import Fact
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.library_model import LibraryModel
from devlint.models import prefetch_loaders
from devlint.models.prefetch_loaders import Serves

_ITERATOR = r"torchtext\.(legacy\.)?data\.(iterator\.)?(Bucket)?Iterator"

_PATTERNS: tuple[tuple[str, Fact], ...] = (
    (_ITERATOR, Serves("-dataset -batch_size -sort_key -device", position=3, gives_objects=True)),
    (_ITERATOR.replace("Bucket", "BPTT"), Serves("-dataset -batch_size", gives_objects=True)),
    (
        _ITERATOR.replace("Bucket", "Bucket|BPTT") + r"\.splits",
        Serves("-datasets -batch_sizes", is_split=True, gives_objects=True),
    ),
)

MODEL = LibraryModel[Run](
    packages=frozenset({"torchtext"}),
    moves=True,
    patterns=_PATTERNS,
    handlers={Serves: prefetch_loaders.made},
    words=frozenset({"BucketIterator", "BPTTIterator"}),
    counts=frozenset({"batch_size"}),
)
