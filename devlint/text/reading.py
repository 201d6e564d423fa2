"""What regular files hold, unless they are too large: nothing else is waited for."""

from __future__ import annotations

import os
import stat

#: In bytes. Notebooks with many pictures take tens of millions.
LARGEST = 64 << 20


class TooLargeError(OSError):
    """A file holds more than is ever read; the message says how much."""


class NoFileError(OSError):
    """What is at a path is a pipe, a socket or a device: reading it may never end."""


def read(path: str) -> bytes:
    """What a file holds.

    Raises `OSError` where it cannot be read, is no regular file or holds more than `LARGEST`.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise NoFileError(None, "not a regular file")
    if status.st_size > LARGEST:
        raise TooLargeError(None, f"{status.st_size:,} bytes large (at most {LARGEST:,})")
    if not status.st_size:
        return b""  # Those of /proc that may never end look empty.
    with open(path, "rb") as file:
        return file.read()


def content(path: str) -> bytes:
    """What a file holds; nothing where it cannot be read."""
    try:
        return read(path)
    except OSError:
        return b""


def reason(error: OSError) -> str:
    """Why a file could not be read, as it stands in a message."""
    return (error.strerror or type(error).__name__).lower()
