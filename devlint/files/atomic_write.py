"""Writing a file anew: at once or not at all, and only as it was read."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from devlint.text.reading import reason

#: What may end a run from outside.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class OverwriteError(Exception):
    """A file is left as it is; the message says why."""


def overwrite(path: str, before: bytes, after: bytes) -> str | None:
    """Put `after` in the place of `before`; a remark if the user should know more.

    A link stays, and what it leads to is written, with the mode and, where that is allowed, the
    owner that it had. Raises `OverwriteError`.
    """
    try:
        target = os.path.realpath(path, strict=True)
        status = os.stat(target)
        # Root may write everywhere: of what nobody is meant to write only the mode tells.
        if not (status.st_mode & 0o222 and os.access(target, os.W_OK)):
            raise OverwriteError("the file is read-only")
        with deferred_signals():
            exchange(target, status, before, after)
    except OSError as error:
        raise OverwriteError(reason(error)) from error
    if status.st_nlink > 1:
        return "the file had other hard links, which keep the old text"
    return None


def put(path: str, data: bytes) -> None:
    """Put `data` at a path, whatever is there; its folder is made. Raises `OSError`."""
    target = os.path.realpath(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    status = os.stat(target) if os.path.exists(target) else None
    with deferred_signals():
        exchange(target, status, None, data)


def exchange(
    target: str, status: os.stat_result | None, before: bytes | None, after: bytes
) -> None:
    """Without `status` the file is new, without `before` it does not matter what it held."""
    folder, name = os.path.split(target)
    # The module `secrets` would have to be imported for this alone.
    temporary = os.path.join(folder, f".{name[:50]}.{os.urandom(4).hex()}.devlint")
    try:
        write(temporary, status, after)
        if before is not None:
            with open(target, "rb") as file:
                if file.read() != before:
                    raise OverwriteError("it changed on disk since it was read")
        os.replace(temporary, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    sync(folder)


def write(path: str, status: os.stat_result | None, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags, 0o666 if status is None else 0o600)
    except PermissionError as error:
        raise OverwriteError("its folder is read-only") from error
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        if status is not None:
            hand_over(path, status)
        os.fsync(file.fileno())


def hand_over(path: str, status: os.stat_result) -> None:
    """Give a file the mode and, as far as that is allowed, the owner and group of another."""
    if hasattr(os, "chown"):
        # Only root may give files away; others keep what they can of owner and group.
        for owner, group in ((status.st_uid, status.st_gid), (-1, status.st_gid)):
            with suppress(PermissionError):
                os.chown(path, owner, group)
                break
    os.chmod(path, stat.S_IMODE(status.st_mode))


def sync(folder: str) -> None:
    """Make a new name in a folder last; not every system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def deferred_signals() -> Iterator[None]:
    """What would end the run waits until no temporary file is left."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
