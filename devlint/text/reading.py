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


def read(path: str, most: int = LARGEST) -> bytes:
    """What a file holds.

    Raises `OSError` where it cannot be read, is no regular file or holds more than `most` bytes.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise NoFileError(None, "not a regular file")
    if status.st_size <= most:
        with open(path, "rb") as file:
            data = file.read(most + 1)
        if len(data) <= most:
            return data
    # Those of /proc grow while they are read.
    size = max(status.st_size, most + 1)
    raise TooLargeError(None, f"{size:,} bytes large (at most {most:,})")


def reason(error: OSError) -> str:
    """Why a file could not be read, as it stands in a message."""
    return (error.strerror or type(error).__name__).lower()
