"""The PyTorch that CUDA can be emulated with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

#: Before it the garbage collector takes the attributes, and so the claim, of a storage that was in
#: a cycle, as `torch.save` makes one. `pyproject.toml` says the same.
OLDEST = (2, 10)
#: What is said where real CUDA is asked for and missing.
NO_CUDA = "--device cuda: this machine has no CUDA that torch can use"


class EmulationError(Exception):
    """CUDA cannot be emulated on this PyTorch; the message says why."""


def unmet(who: str) -> str | None:
    """Why `who` cannot work with the PyTorch that is installed, which is not imported for it."""
    if find_spec("torch") is None:
        return f"{who} needs torch: pip install 'devlint[confirm]'"
    found = _version()
    if found and tuple(map(int, re.findall(r"\d+", found)[:2])) < OLDEST:
        return f"{who} needs torch >= {'.'.join(map(str, OLDEST))}, this is {found}"
    return None


@contextmanager
def required() -> Iterator[None]:
    """Raise `EmulationError` where a version of PyTorch has not what the emulation replaces."""
    try:
        yield
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise EmulationError(f"CUDA cannot be emulated on torch {_version()}: {reason}") from error


def _version() -> str | None:
    """None of a PyTorch that was not installed as a package."""
    try:
        return version("torch")
    except PackageNotFoundError:
        return None
