"""What surrounds a file that is open: its project, as it stands in the editor and on disk."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from devlint.project.files import Disk, Entry
from devlint.project.installed import Installed, installed
from devlint.project.project import Project
from devlint.settings import Configuration

#: What tells one state of a file or folder from another: its text, or when it was written.
Stamp: TypeAlias = "bytes | tuple[int, int] | None"
#: How many files have a project at the same time, those that were looked at last.
KEPT = 4


class OpenFiles:
    """The files of a project, of which those that are open hold what the editor shows: `texts`, by
    absolute paths.

    What is asked for is noted, so that a change of it is noticed. What others see of the file that
    is looked at, `own`, may be older, until that is saved.
    """

    def __init__(self, own: str, texts: Mapping[str, bytes]) -> None:
        self._own = own
        self._texts = texts
        self._disk = Disk()
        self._read: dict[str, Stamp] = {}
        self._folders: dict[str, Stamp] = {}
        self._entries: dict[tuple[str, str], Entry | None] = {}

    def entry(self, folder: str, name: str) -> Entry | None:
        if folder not in self._folders:
            self._folders[folder] = stamp(folder)
        is_open = os.path.join(folder, name) in self._texts
        found = self._entries[folder, name] = "file" if is_open else self._disk.entry(folder, name)
        return found

    def read(self, path: str) -> bytes:
        if path not in self._read:
            self._read[path] = self._state(path)
        return self._texts[path] if path in self._texts else self._disk.read(path)

    def _state(self, path: str) -> Stamp:
        is_open = path in self._texts and path != self._own
        return self._texts[path] if is_open else stamp(path)

    def is_as(self, texts: Mapping[str, bytes]) -> bool:
        """Whether all that was asked for is the same where these are the texts that are open."""
        now = OpenFiles(self._own, texts)
        moved = {each for each, told in self._folders.items() if stamp(each) != told}
        moved |= {os.path.dirname(path) for path in texts.keys() ^ self._texts.keys()}
        asked = ((name, told) for name, told in self._entries.items() if name[0] in moved)
        return all(now._state(path) == told for path, told in self._read.items()) and all(
            now.entry(*name) == told for name, told in asked
        )


def stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class Known(NamedTuple):
    """A project, and the files that it was read from."""

    files: OpenFiles
    project: Project

    def holds(self, packages: Installed, texts: Mapping[str, bytes]) -> bool:
        """Whether it would be the same, read anew."""
        return self.project.modules.installed == packages and self.files.is_as(texts)


class Surroundings:
    """The project of each file that is looked at: what it has learned of what the file imports
    lasts until something of that changes."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Known] = OrderedDict()

    def project(
        self, path: str, configuration: Configuration, texts: Mapping[str, bytes]
    ) -> Project | None:
        """That of a file; None where imports are not followed."""
        if not configuration.settings(path).follow_imports:
            return None
        packages = installed(configuration)
        known = self._known.pop(path, None)
        if known is None or not known.holds(packages, texts):
            files = OpenFiles(path, texts)
            known = Known(files, Project(files, [os.getcwd()], packages))
        self._known[path] = known
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return known.project

    def forget(self, path: str) -> None:
        self._known.pop(path, None)
