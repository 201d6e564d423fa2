"""Which programs have nothing to do with devices, by their text alone."""

from __future__ import annotations

import re
from functools import cache

from devlint.settings.project_names import PLAIN, Vocabulary
from devlint.values.device import ACCELERATORS

#: What a file has to mention, besides torch, for any value of it to be on a known device: a move,
#: a device by name or by argument, a generator, a checkpoint, or a factory. Wide rather than
#: narrow: a miss here is a finding lost, a false hit costs one `ast.parse`.
_DEVICES = (
    r"cuda|\.to\b|device|generator|manual_seed|\bsave\b|\bload\b|load_url|map_location|pin_memory"
    r"|torch\.(?:zeros|ones|empty|full|eye|arange|linspace|tensor|rand|from_numpy|Tensor)"
)
#: What a module has to mention, where it makes no tensors by a factory, for its own state to stay
#: behind when somebody moves it: a tensor of a type or that it is given, or layers in a list.
_STATE = re.compile(
    r"torch\.\w*Tensor|:\s*(?:torch\.|Optional\[)?Tensor\b|(?:[\[(]|:\s)\s*(?:torch\.)?nn\.[A-Z]"
)


def mentions_devices(text: str, vocabulary: Vocabulary = PLAIN) -> bool:
    if "torch" not in text:
        return False
    if _words(vocabulary).search(text) is not None:
        return True
    return "def forward" in text and _STATE.search(text) is not None


@cache
def _words(vocabulary: Vocabulary) -> re.Pattern[str]:
    """With the accelerators, and the words of libraries and of the project."""
    from devlint.models.libraries import libraries  # Not before a text mentions torch.

    names = sorted(ACCELERATORS | libraries(vocabulary).words)
    return re.compile(rf"{_DEVICES}|\b(?:{'|'.join(map(re.escape, names))})\b", re.I | re.A)
