"""Files at a path, or behind a URL that fsspec knows."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, BinaryIO, cast

from devlint.scan.errors import ProjectError, ScanError
from devlint.text.reading import NoFileError, reason


def is_url(place: str) -> bool:
    return "://" in place


def opened(place: str) -> BinaryIO:
    """A file that can be read from any position. Raises `ProjectError`."""
    try:
        if is_url(place):
            return cast(BinaryIO, filesystem(place)[0].open(filesystem(place)[1], "rb"))
        if not os.path.isfile(place) and os.path.exists(place):
            raise NoFileError(None, "not a regular file")
        return open(place, "rb")
    except OSError as error:
        raise ProjectError(f"cannot read: {reason(error)}") from error


def state(place: str) -> tuple[str, int]:
    """What changes with a file, and its size. Raises `OSError` or `ScanError`."""
    if not is_url(place):
        found = os.stat(place)
        return f"{found.st_size} {found.st_mtime_ns}", found.st_size
    files, path = filesystem(place)
    return str(files.ukey(path)), int(files.size(path) or 0)


def matching(place: str) -> list[str]:
    """The files that a URL with `*` fits, in order; any other is itself. Raises `ScanError`."""
    if "*" not in place:
        return [place]
    files, path = filesystem(place)
    return [files.unstrip_protocol(each) for each in sorted(files.glob(path))]


def filesystem(place: str) -> tuple[Any, str]:
    """What reads a URL, and the path it has there. Raises `ScanError`."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise ScanError(f"{place}: a URL needs fsspec: pip install 'devlint[scan]'") from error
    with suppress(ValueError):
        found: tuple[Any, str] = url_to_fs(place)
        return found
    raise ScanError(f"{place}: no such kind of URL is known")
