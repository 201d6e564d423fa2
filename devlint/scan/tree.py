"""The files of one project, in memory, as if a folder held them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from devlint.cache.snapshot import Snapshot
from devlint.cache.store import digest
from devlint.project.files import Entry
from devlint.scan.choice import ProjectChoice
from devlint.scan.errors import ProjectError
from devlint.scan.limits import HELD, NAMES
from devlint.text.reading import LARGEST, TooLargeError

NAME_LEADS_OUT = "its name leads out of the project"


@dataclass(slots=True)
class Tree:
    """What was read of a project, of the files that are chosen. Names are paths from its top, with
    slashes."""

    choice: ProjectChoice
    #: Whether it is a repository, rather than something that was made of one.
    is_repository: bool = False
    contents: dict[str, bytes] = field(default_factory=dict)
    #: Every file there is, chosen or not.
    names: set[str] = field(default_factory=set)
    #: Chosen files that are not read, and why.
    refused: dict[str, OSError] = field(default_factory=dict)
    #: Names that are none, and folders that cannot be read, and why.
    passed: dict[str, str] = field(default_factory=dict)
    #: How many bytes the files hold that are to be read.
    size: int = 0

    def chosen(self, told: str, size: int) -> str | None:
        """The name of a file, as a source tells it with its size, if it is to be read. Raises
        `ProjectError` where the project is too large."""
        if len(self.names) + len(self.passed) >= NAMES:
            raise ProjectError(f"it has more than {NAMES:,} files")
        name = normal(told)
        if name is None:
            self.passed[told] = NAME_LEADS_OUT
            return None
        self.names.add(name)
        if not self.choice.takes(name):
            return None
        if size > LARGEST:
            self.refuse(name, too_large(size))
            return None
        self.size += size
        if self.size > HELD:
            raise ProjectError(f"its files hold more than {HELD:,} bytes")
        return name

    def add(self, name: str, data: bytes) -> None:
        """Take in what a chosen file holds; the last one of a name counts."""
        self.refused.pop(name, None)
        self.contents[name] = data

    def refuse(self, name: str, error: OSError) -> None:
        self.contents.pop(name, None)
        self.refused[name] = error


def normal(told: str) -> str | None:
    """A name as it would be written; None where it is none within the project."""
    parts = [each for each in told.replace("\\", "/").split("/") if each not in ("", ".")]
    is_absolute = told.startswith(("/", "\\")) or (parts[:1] and parts[0].endswith(":"))
    if is_absolute or ".." in parts or not parts or "\0" in told:
        return None
    return "/".join(parts)


def too_large(size: int) -> TooLargeError:
    return TooLargeError(None, f"{size:,} bytes large (at most {LARGEST:,})")


class HeldFiles(Snapshot):
    """A tree where the working directory would be. Paths are absolute."""

    def __init__(self, tree: Tree) -> None:
        super().__init__({})
        self._contents = {tree.choice.path(name): data for name, data in tree.contents.items()}
        self._refused = {tree.choice.path(name): error for name, error in tree.refused.items()}
        self._kinds = dict(kinds(tree))
        self._digests: dict[str, str] = {}

    @property
    def files(self) -> HeldFiles:
        return self

    def entry(self, folder: str, name: str) -> Entry | None:
        return self._kinds.get(os.path.join(folder, name))

    def read(self, path: str) -> bytes:
        if path in self._refused:
            raise self._refused[path]
        if path not in self._contents:
            raise FileNotFoundError(None, "not among the files that are read")
        return self._contents[path]

    def digest(self, path: str) -> str | None:
        if path in self._contents and path not in self._digests:
            self._digests[path] = digest(self._contents[path])
        return self._digests.get(path)


def kinds(tree: Tree) -> Mapping[str, Entry]:
    found: dict[str, Entry] = {tree.choice.path(name): "file" for name in tree.names}
    if tree.is_repository:
        found[tree.choice.path(".git")] = "folder"
    for path in [*found]:
        while (path := os.path.dirname(path)) != tree.choice.root and path not in found:
            found[path] = "folder"
    return found
