"""Which programs have nothing to do with devices, by their text alone."""

from __future__ import annotations

import re
from functools import cache

from devlint.settings.project_names import PLAIN, Vocabulary
from devlint.values.device import ACCELERATORS

#: What is of interest whatever it does: the device that it needs to name may be what it forgot.
_IMPORT = re.compile(r"\b(?:from\s+torch\b|import\b[^\r\n]*\btorch\b)")
#: What a file has to mention that imports torch by other ways, if at all, for any value of it to
#: be on a known device: a move, a device by name or by argument, a generator, a checkpoint. Wide
#: rather than narrow: a miss here is a finding lost, a false hit costs one `ast.parse`.
_DEVICES = (
    r"cuda|\.to\b|device|generator|manual_seed|\bsave\b|\bload\b|load_url|map_location|pin_memory"
    r"|Tensor\b"
)
#: What a file mentions that moves what a library has made for it, without importing torch itself.
_MOVES = re.compile(r"\.(?:to|cuda)\(|\bdevice")


#: What begins a line of a program that does something when it is run: a guard, a call, a loop.
_RUNS = re.compile(r"^(?:if\s+__name__|[A-Za-z_][\w.]*\(|(?:for|while|with|async)\b)", re.M | re.A)


def does_something(text: str) -> bool:
    """Whether a program does something when it is run, rather than define things for others."""
    return _RUNS.search(text) is not None


def defines_module(text: str) -> bool:
    """Whether a program has a method that PyTorch calls, as a class has whose base is elsewhere."""
    return "def forward(" in text


def mentions_devices(text: str, vocabulary: Vocabulary = PLAIN) -> bool:
    if "torch" not in text:
        is_moving = _MOVES.search(text) is not None
        return is_moving and _imports(vocabulary).search(text) is not None
    return _IMPORT.search(text) is not None or _words(vocabulary).search(text) is not None


def names_devices(text: str, vocabulary: Vocabulary = PLAIN) -> bool:
    """Whether a program that does not mention torch may handle what others make with it."""
    return _words(vocabulary).search(text) is not None


@cache
def _imports(vocabulary: Vocabulary) -> re.Pattern[str]:
    """An import of a library that makes modules, or places them."""
    from devlint.models.libraries import libraries

    movers = "|".join(sorted(libraries(vocabulary).movers))
    return re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:{movers})\b", re.M | re.A)


@cache
def _words(vocabulary: Vocabulary) -> re.Pattern[str]:
    """With the accelerators, and the words of libraries and of the project."""
    from devlint.models.libraries import libraries  # Not before a text mentions torch.

    names = sorted(ACCELERATORS | libraries(vocabulary).words)
    return re.compile(rf"{_DEVICES}|\b(?:{'|'.join(map(re.escape, names))})\b", re.I | re.A)
