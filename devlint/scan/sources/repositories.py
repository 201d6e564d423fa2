"""Commits of git repositories, bare ones too, read from their objects: nothing is checked out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from devlint.files.git import GitError, git
from devlint.scan.errors import ProjectError, ScanError
from devlint.scan.tree import Tree

#: What a bare repository holds.
BARE = ("HEAD", "objects", "refs")
#: How a file begins that LFS keeps elsewhere.
POINTER = b"version https://git-lfs.github.com/spec/"
asked = partial(git, is_offline=True)


def is_bare(folder: str) -> bool:
    return all(os.path.exists(os.path.join(folder, name)) for name in BARE)


def commit(place: str, revision: str) -> str:
    """The hash of a revision. Raises `ScanError`."""
    try:
        said = asked(
            "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}", top=place
        )
    except GitError as error:
        raise ScanError(f"{place}@{revision}: {error}") from error
    return said.decode().strip()


@dataclass(frozen=True, slots=True)
class Blob:
    name: str
    number: str
    size: int


def read(place: str, revision: str, tree: Tree) -> None:
    """Take in the files of a commit. Raises `ProjectError`."""
    tree.is_repository = True
    try:
        wanted: list[Blob] = []
        for blob in blobs(place, revision):
            if (name := tree.chosen(blob.name, blob.size)) is not None:
                wanted.append(Blob(name, blob.number, blob.size))
        for blob, data in zip(wanted, contents(place, wanted), strict=True):
            take(blob, data, tree)
    except GitError as error:
        raise ProjectError(f"git cannot read it: {error}") from error


def take(blob: Blob, data: bytes | None, tree: Tree) -> None:
    if data is None:
        tree.refuse(blob.name, OSError(None, "not among the objects of the repository"))
    elif data.startswith(POINTER):
        tree.refuse(blob.name, OSError(None, "kept elsewhere, by Git LFS"))
    else:
        tree.add(blob.name, data)


def blobs(place: str, revision: str) -> Iterator[Blob]:
    """The regular files of a commit; links and submodules are left out."""
    listed = asked("ls-tree", "-r", "-l", "-z", "--full-tree", revision, top=place)
    for line in filter(None, listed.split(b"\0")):
        told, _, name = line.partition(b"\t")
        mode, _, number, size = told.decode().split()
        if mode.startswith("100"):
            yield Blob(os.fsdecode(name), number, int(size) if size.isdigit() else 0)


def contents(place: str, wanted: list[Blob]) -> Iterator[bytes | None]:
    """What blobs hold, in order; None for each that is not there."""
    numbers = "".join(f"{each.number}\n" for each in wanted).encode()
    told = asked("cat-file", "--batch", top=place, given=numbers) if wanted else b""
    start = 0
    for _ in wanted:
        end = told.index(b"\n", start)
        *_, last = told[start:end].split()
        start = end + 1
        if last == b"missing":
            yield None
            continue
        yield told[start : start + int(last)]
        start += int(last) + 1
