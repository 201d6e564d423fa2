"""The files of a project, on disk or anywhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Protocol

#: Modules of more bytes are not read.
LARGEST = 4_000_000


class Files(Protocol):
    """Paths are absolute."""

    def names(self, folder: str) -> Mapping[str, bool]:
        """What a folder holds, and which of it are folders; nothing if it cannot be read."""

    def read(self, path: str) -> bytes:
        """Raises `OSError`."""


class Disk:
    """Each folder is read once."""

    def __init__(self) -> None:
        self._known: dict[str, Mapping[str, bool]] = {}

    def names(self, folder: str) -> Mapping[str, bool]:
        if folder not in self._known:
            try:
                with os.scandir(folder) as entries:
                    held = [each for each in entries if each.is_dir() or each.is_file()]
                self._known[folder] = {each.name: each.is_dir() for each in held}
            except OSError:
                self._known[folder] = {}
        return self._known[folder]

    def read(self, path: str) -> bytes:
        if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
            raise OSError(f"no file, or too large: {path}")
        with open(path, "rb") as file:
            return file.read()
