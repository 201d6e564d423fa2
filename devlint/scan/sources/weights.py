"""About how many bytes of source files an archive has, without reading more than its directory."""

from __future__ import annotations

import struct
from typing import BinaryIO

from devlint.scan.limits import HELD

#: About how many bytes a byte of an archive unpacks to that cannot tell.
PACKED = 4
#: What source files end in.
SOURCES = (b".py", b".ipynb")
#: How long the end of a zip file may be, and its directory, in bytes.
END = 22 + 65_535
DIRECTORY = 64 << 20


def weight(file: BinaryIO, size: int) -> int:
    """What a zip file says of its members, else a guess."""
    try:
        found = sizes(file, size)
    except (struct.error, OSError, ValueError):
        found = None
    return min(PACKED * size if found is None else found, HELD)


def sizes(file: BinaryIO, size: int) -> int | None:
    """None where there is no directory, or one that is longer than it needs to be."""
    file.seek(max(size - END, 0))
    end = file.read(END)
    if (place := end.rfind(b"PK\5\6")) < 0:
        return None
    length, start = struct.unpack_from("<II", end, place + 12)
    if length > DIRECTORY:
        return None
    file.seek(start)
    directory, found, at = file.read(length), 0, 0
    while directory.startswith(b"PK\1\2", at):
        (unpacked,) = struct.unpack_from("<I", directory, at + 24)
        name, extra, comment = struct.unpack_from("<HHH", directory, at + 28)
        if directory[at + 46 : at + 46 + name].endswith(SOURCES):
            found += unpacked
        at += 46 + name + extra + comment
    return found
