"""The units of what a user names as sources."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
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


def units(sources: Iterable[str]) -> list[Unit]:
    """In order, each project once. Raises `ScanError`."""
    found: dict[str, Unit] = {}
    for source in sources:
        for unit in listed(source) if source.startswith("@") else named(source):
            found.setdefault(unit.project, unit)
    return [*found.values()]


def listed(source: str) -> Iterator[Unit]:
    """What a file names, one source on a line; lines that begin with # are comments."""
    try:
        with opened(source[1:]) as file:
            lines = file.read().decode().splitlines()
    except (ProjectError, ValueError) as error:
        raise ScanError(f"{source}: {error}") from error
    for number, line in enumerate(map(str.strip, lines), 1):
        if line.startswith("@"):
            raise ScanError(f"{source[1:]}:{number}: a list cannot name another list")
        if line and not line.startswith("#"):
            yield from named(line)


def named(source: str) -> Iterator[Unit]:
    """The units of one source. Raises `ScanError`."""
    if is_url(source):
        for each in matching(source):
            yield from of_file(each, each)
        return
    place, _, revision = source.rpartition("@")
    if os.path.isdir(source):
        yield from of_folder(source, 0)
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


def of_folder(folder: str, depth: int) -> Iterator[Unit]:
    """A project, or what is in a folder of projects and archives."""
    entries = held(folder)
    names = {each.name for each in entries}
    is_source = any(each.name.endswith(SOURCES) and each.is_file() for each in entries)
    if not depth and repositories.is_bare(folder):
        yield of_commit(folder, folder, "HEAD")
    elif is_source or not names.isdisjoint(REPOSITORY | DISTRIBUTION):
        yield of_project(folder)
    elif depth < DEPTH:
        for entry in entries:
            yield from of_entry(entry, depth)


def of_entry(entry: os.DirEntry[str], depth: int) -> Iterator[Unit]:
    """What is in a folder costs only itself where it cannot be read."""
    try:
        yield from within(entry, depth)
    except ScanError as error:
        told = str(error).removeprefix(f"{entry.path}: ")
        yield Unit(entry.path, "unreadable", os.path.abspath(entry.path), told)


def within(entry: os.DirEntry[str], depth: int) -> Iterator[Unit]:
    """Raises `ScanError`."""
    if entry.is_dir(follow_symlinks=False):
        if repositories.is_bare(entry.path):
            yield of_commit(entry.path, entry.path, "HEAD")
        else:
            yield from of_folder(entry.path, depth + 1)
    elif entry.is_file() and (archives.is_archive(entry.name) or tables.is_table(entry.name)):
        yield from of_file(entry.path, os.path.abspath(entry.path))


def of_project(folder: str) -> Unit:
    """What is below the folder is known by names, sizes and times."""
    told, weight = blake2b(digest_size=16), 0
    for top, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in REPOSITORY)
        for name in sorted(files):
            seen, size = stamp(os.path.join(top, name))
            told.update(f"{os.path.relpath(top, folder)}/{name} {seen}\n".encode(errors="replace"))
            weight += size if name.endswith(SOURCES) else 0
    return Unit(folder, "folder", os.path.abspath(folder), state=told.hexdigest(), weight=weight)


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
