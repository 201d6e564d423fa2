"""Which devlint this is, with its rule packs: what one has kept is of no use to another."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

from devlint.cache.store import digest

#: Where the code of devlint is.
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: Where packages are installed.
SITES = frozenset(each for each in sys.path if each.endswith("-packages"))
#: By what folders end that say what is installed.
ABOUT = (".dist-info", ".egg-info", ".egg-link")


def identity(folders: Iterable[str] = ()) -> str:
    """It changes with Python, with what is installed, and with any file of devlint or in `folders`,
    those of rule packs."""
    told = [sys.version, *installed()]
    for folder in dict.fromkeys((HERE, *folders)):
        # What is installed to stay changes only with its distribution.
        told += files(folder) if os.path.dirname(folder) not in SITES else ()
    return digest("\n".join(told).encode(errors="surrogateescape"))


def installed() -> Iterator[str]:
    """The distributions that Python finds, and when each was put there."""
    for folder in dict.fromkeys(sys.path):
        for entry in entries(folder):
            if entry.name.endswith(ABOUT):
                yield f"{entry.path} {entry.stat().st_mtime_ns}"


def files(folder: str) -> Iterator[str]:
    """The modules below a folder, their sizes and when they were changed."""
    for entry in entries(folder):
        if entry.is_dir():
            yield from files(entry.path) if entry.name != "__pycache__" else ()
        elif not entry.name.endswith(".pyc"):
            status = entry.stat()
            yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"


def entries(folder: str) -> list[os.DirEntry[str]]:
    """In the order of their names; none of what cannot be read."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda each: each.name)
    except OSError:
        return []
