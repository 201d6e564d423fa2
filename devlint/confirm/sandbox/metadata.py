"""Changes permissions, owners, times and attributes of stand-ins, and of no file of the user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from devlint.confirm.sandbox.file_overlay import StandIns
from devlint.confirm.sandbox.path_arguments import Function
from devlint.confirm.sandbox.seccomp import PASS

#: What they are by the function that the kernel lets pass.
_SAME = {"chmod": "chmod", "fchmod": "chmod", "utime": "utime"}
_SAME |= {"chown": "chown", "fchown": "chown", "lchown": "chown"}
_ATTRIBUTES = ("setxattr", "removexattr")


def held(stand_ins: StandIns) -> Iterator[tuple[str, Function]]:
    """The functions of `os`, by their names; none where files cannot be opened as mere places."""
    if not hasattr(os, "O_PATH"):
        return
    for name, same in _SAME.items():
        yield name, _held(stand_ins, getattr(os, name), getattr(os, same))
    for name in _ATTRIBUTES:
        yield name, _held(stand_ins, getattr(os, name), getattr(os, name))


def _held(stand_ins: StandIns, function: Function, same: Function) -> Function:
    """Does nothing to what is no stand-in; the file stays the one that was looked at."""
    follows = function.__name__ != "lchown"
    passing = {} if function.__name__ in _ATTRIBUTES else {"dir_fd": PASS}

    @wraps(function)
    def changed(
        path: Any,
        *args: Any,
        dir_fd: int | None = None,
        follow_symlinks: bool = follows,
        **kwargs: Any,
    ) -> None:
        with _place(path, dir_fd, follow_symlinks) as place:
            if stand_ins.is_own(os.readlink(place)):
                same(place, *args, **kwargs, **passing)

    return changed


@contextmanager
def _place(path: Any, folder: int | None, follows: bool) -> Iterator[str]:
    """A name of the file that leads to nothing else, whatever becomes of links meanwhile."""
    if isinstance(path, int):
        os.fstat(path)
        yield f"/proc/self/fd/{path}"
        return
    flags = os.O_PATH | (0 if follows else os.O_NOFOLLOW)
    handle = os.open(path, flags, dir_fd=folder)
    try:
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)
