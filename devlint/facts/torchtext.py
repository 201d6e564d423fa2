"""The iterators of torchtext before 0.12, which later stood in `torchtext.legacy`.

From 0.3 on their batches are on the CPU unless a device is given; before, on the current GPU, and
`-1` was the CPU. Source: torchtext 0.6.0, `data/iterator.py` and `data/field.py`.
"""

from __future__ import annotations

from devlint.facts.effect import Fact
from devlint.facts.library import Serves

_ITERATOR = r"torchtext\.(legacy\.)?data\.(iterator\.)?(Bucket)?Iterator"

PATTERNS: tuple[tuple[str, Fact], ...] = (
    (_ITERATOR, Serves("-dataset -batch_size -sort_key -device", position=3, gives_objects=True)),
    (_ITERATOR.replace("Bucket", "BPTT"), Serves("-dataset -batch_size", gives_objects=True)),
    (
        _ITERATOR.replace("Bucket", "Bucket|BPTT") + r"\.splits",
        Serves("-datasets -batch_sizes", is_split=True, gives_objects=True),
    ),
)
