"""Which files of a project the settings choose."""

from __future__ import annotations

import os

from devlint.files.discover import COPIES, Choice, Selection
from devlint.settings import Configuration


class ProjectChoice:
    """Names are paths from the top of a project, with slashes; globs see them as if the project
    were the working directory."""

    def __init__(self, configuration: Configuration) -> None:
        self.root = os.getcwd()
        self._choice: Choice = Selection(configuration).choice(self.root)
        self._entered = {"": True}

    @property
    def respects_git(self) -> bool:
        return self._choice.respects_git

    def path(self, name: str) -> str:
        """The absolute path that a name stands for."""
        return os.path.join(self.root, *name.split("/"))

    def takes(self, name: str) -> bool:
        """Whether a file is chosen."""
        path = self.path(name)
        return (
            self._choice.included.cover(path)
            and not self._choice.excluded.fits(path)
            and self.enters(name.rpartition("/")[0])
        )

    def enters(self, folder: str) -> bool:
        """Whether a folder, and all that it is in, are not left out."""
        if folder not in self._entered:
            above, _, last = folder.rpartition("/")
            is_open = last not in COPIES and self.enters(above)
            is_excluded = self._choice.excluded.fits(self.path(folder), is_folder=True)
            self._entered[folder] = is_open and not is_excluded
        return self._entered[folder]
