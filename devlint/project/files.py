"""The files of a project, on disk or anywhere else."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

from devlint.text.reading import TooLargeError, read

#: What a name in a folder may be.
Entry: TypeAlias = Literal["file", "folder"]
#: Modules of more bytes are not read.
LARGEST = 4_000_000


class Files(Protocol):
    """Paths are absolute."""

    def entry(self, folder: str, name: str) -> Entry | None:
        """What a name in a folder is; None if there is none, or the folder cannot be read."""

    def read(self, path: str) -> bytes:
        """Raises `OSError`."""


class Disk:
    """Each folder is read once; `read` gives what files hold."""

    def __init__(self, read: Callable[[str], bytes] = read) -> None:
        self._read = read
        self._known: dict[str, dict[str, Entry]] = {}

    def entry(self, folder: str, name: str) -> Entry | None:
        return self.names(folder).get(name)

    def names(self, folder: str) -> dict[str, Entry]:
        """What a folder holds; nothing if it cannot be read."""
        if folder not in self._known:
            try:
                with os.scandir(folder) as held:
                    self._known[folder] = {each.name: kind(each) for each in held}
            except OSError:
                self._known[folder] = {}
        return self._known[folder]

    def read(self, path: str) -> bytes:
        if os.path.getsize(path) > LARGEST:
            raise TooLargeError(None, f"too large for a module: {path}")
        return self._read(path)


def kind(entry: os.DirEntry[str]) -> Entry:
    try:
        return "folder" if entry.is_dir() else "file"
    except OSError:  # A link that leads nowhere.
        return "file"
