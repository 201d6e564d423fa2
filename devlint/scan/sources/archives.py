"""Wheels, sdists and other archives, read without unpacking anything to disk."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from itertools import count
from typing import BinaryIO

from devlint.scan.errors import ProjectError
from devlint.scan.limits import NAMES
from devlint.scan.sources.opened import opened
from devlint.scan.tree import Tree
from devlint.text.reading import reason

ZIPS = (".whl", ".zip", ".egg", ".pyz")
TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
#: How many bytes an archive may unpack to, whether they are looked at or not.
UNPACKED = 16 << 30
#: A zip file whose parts cannot be read: broken, encrypted, or packed in an unknown way.
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)
BROKEN_PART = (*BROKEN_ZIP, RuntimeError, NotImplementedError)
BROKEN_TAR = (tarfile.TarError, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError)


def is_archive(name: str) -> bool:
    return name.lower().endswith((*ZIPS, *TARS))


def read(place: str, tree: Tree) -> None:
    """Take in the files of an archive. Raises `ProjectError`."""
    with opened(place) as file:
        if place.lower().endswith(ZIPS):
            read_zip(file, tree)
        else:
            read_tar(file, tree)


def read_zip(file: BinaryIO, tree: Tree) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    read_member(archive, member, tree)
    except BROKEN_ZIP as error:
        raise broken(error) from error


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, tree: Tree) -> None:
    """A part is read up to the size that the archive says, true or not."""
    name = tree.chosen(member.filename, member.file_size)
    if name is None:
        return
    try:
        with archive.open(member) as part:
            tree.add(name, part.read())
    except BROKEN_PART as error:
        tree.refuse(name, OSError(None, told(error)))


def read_tar(file: BinaryIO, tree: Tree) -> None:
    try:
        with tarfile.open(fileobj=file, mode="r:*") as archive:
            for member in members(archive):
                name = tree.chosen(member.name, member.size)
                part = archive.extractfile(member) if name else None
                if name and part:
                    tree.add(name, part.read())
    except BROKEN_TAR as error:
        raise broken(error) from error


def members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The regular files; links lead nowhere here. Raises `ProjectError`."""
    for number in count():
        member = archive.next()
        if member is None:
            return
        if number > NAMES or archive.offset > UNPACKED:
            raise ProjectError(f"it unpacks to more than {NAMES:,} names or {UNPACKED:,} bytes")
        archive.members.clear()  # type: ignore[attr-defined]  # It would keep them all.
        if member.isreg():
            yield member


def broken(error: Exception) -> ProjectError:
    return ProjectError(f"not an archive that can be read: {told(error)}")


def told(error: Exception) -> str:
    """Why something in an archive cannot be read."""
    text = reason(error) if isinstance(error, OSError) else str(error)
    return text or type(error).__name__
