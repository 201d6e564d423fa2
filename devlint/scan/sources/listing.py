"""The units of what a user names as sources."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from devlint.project.modules import DISTRIBUTION, REPOSITORY
from devlint.scan.errors import ProjectError, ScanError
from devlint.scan.sources import archives, repositories, tables
from devlint.scan.sources.opened import is_url, matching, opened, state
from devlint.scan.sources.weights import weight
from devlint.scan.unit import Unit
from devlint.text.reading import reason

#: How far folders of folders are looked into for projects.
DEPTH = 6
#: By what a folder is seen to be a project, besides what a repository or distribution holds.
SOURCES = (".py", ".ipynb")


def units(sources: Iterable[str], out: str = "") -> list[Unit]:
    """In order, each project once; in the folder `out` there are none. Raises `ScanError`."""
    found: dict[str, Unit] = {}
    folders = Folders(os.path.abspath(out)) if out else Folders()
    for source in sources:
        for name in listed(source) if source.startswith("@") else [source]:
            for unit in named(name, folders):
                found.setdefault(unit.project, unit)
    return [*found.values()]


def listed(source: str) -> Iterator[str]:
    """What a file names, one source on a line; lines that begin with # are comments. Raises
    `ScanError`."""
    try:
        with opened(source[1:]) as file:
            lines = file.read().decode().splitlines()
    except (ProjectError, ValueError) as error:
        raise ScanError(f"{source}: {error}") from error
    for number, line in enumerate(map(str.strip, lines), 1):
        if line.startswith("@"):
            raise ScanError(f"{source[1:]}:{number}: a list cannot name another list")
        if line and not line.startswith("#"):
            yield line


def named(source: str, folders: Folders) -> Iterator[Unit]:
    """The units of one source. Raises `ScanError`."""
    if is_url(source):
        for each in matching(source):
            yield from of_file(each, each)
        return
    place, _, revision = source.rpartition("@")
    if os.path.isdir(source):
        yield from folders.units(source)
    elif os.path.isfile(source):
        yield from of_file(source, os.path.abspath(source))
    elif place and revision and os.path.isdir(place):
        yield of_commit(source, place, revision)
    else:
        raise ScanError(f"{source}: no such file or directory")


def of_file(project: str, place: str) -> Iterator[Unit]:
    name = place.partition("?")[0]
    if tables.is_table(name):
        yield from tables.units(place, project)
    elif archives.is_archive(name):
        yield of_archive(project, place)
    else:
        raise ScanError(f"{project}: neither a folder, an archive nor a Parquet file")


def of_archive(project: str, place: str) -> Unit:
    try:
        seen, size = state(place)
        with opened(place) as file:
            return Unit(project, "archive", place, state=seen, weight=weight(file, size))
    except OSError as error:
        raise ScanError(f"{project}: cannot read: {reason(error)}") from error
    except ProjectError as error:
        raise ScanError(f"{project}: {error}") from error


def of_commit(project: str, place: str, revision: str) -> Unit:
    """A commit may be of any size: it counts for what a batch holds."""
    number = repositories.commit(place, revision)
    return Unit(project, "git", os.path.abspath(place), number, weight=1 << 20)


@dataclass(frozen=True, slots=True)
class Folders:
    """Looks for projects in folders, and in none that is `left_out`."""

    left_out: str = ""

    def units(self, folder: str, depth: int = 0) -> Iterator[Unit]:
        """A project, or what is in a folder of projects and archives. Raises `ScanError`."""
        entries = held(folder)
        names = {each.name for each in entries}
        is_source = any(each.name.endswith(SOURCES) and each.is_file() for each in entries)
        if repositories.is_bare(folder):
            yield of_commit(folder, folder, "HEAD")
        elif is_source or not names.isdisjoint(REPOSITORY | DISTRIBUTION):
            yield self._project(folder)
        elif depth < DEPTH:
            for entry in entries:
                yield from self._within(entry, depth)

    def _within(self, entry: os.DirEntry[str], depth: int) -> Iterator[Unit]:
        """What is in a folder costs only itself where it cannot be read."""
        place = os.path.abspath(entry.path)
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from self.units(entry.path, depth + 1) if place != self.left_out else ()
            elif entry.is_file() and has_projects(entry.name):
                yield from of_file(entry.path, place)
        except ScanError as error:
            told = str(error).removeprefix(f"{entry.path}: ")
            yield Unit(entry.path, "unreadable", place, told)

    def _project(self, folder: str) -> Unit:
        """What is below the folder is known by names, sizes and times."""
        told, weight, place = blake2b(digest_size=16), 0, os.path.abspath(folder)
        for top, folders, files in os.walk(place):
            inner = ((each, os.path.join(top, each)) for each in sorted(folders))
            folders[:] = [e for e, at in inner if e not in REPOSITORY and at != self.left_out]
            for name in sorted(files):
                seen, size = stamp(os.path.join(top, name))
                line = f"{os.path.relpath(top, place)}/{name} {seen}\n"
                told.update(line.encode(errors="surrogateescape"))
                weight += size if name.endswith(SOURCES) else 0
        return Unit(folder, "folder", place, state=told.hexdigest(), weight=weight)


def has_projects(name: str) -> bool:
    """Whether a file is one that may have projects."""
    return archives.is_archive(name) or tables.is_table(name)


def stamp(path: str) -> tuple[str, int]:
    try:
        return state(path)
    except OSError:
        return "", 0


def held(folder: str) -> list[os.DirEntry[str]]:
    """Raises `ScanError`."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda each: each.name)
    except OSError as error:
        raise ScanError(f"{folder}: cannot read: {reason(error)}") from error
