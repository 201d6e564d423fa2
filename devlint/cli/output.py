"""What commands write: reports on stdout or to a file, complaints on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress

import click


def is_coloured(when: str = "auto") -> bool:
    """Always, never, or as `NO_COLOR`, `FORCE_COLOR` and the terminal say, in this order, as Python
    itself does."""
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def show(lines: Iterable[str | bytes], *, err: bool = False) -> None:
    """Write lines to stdout, or stderr; a reader who has left (`| head`) is no error."""
    try:
        for line in lines:
            # Bytes are lines of files, which end as they do there.
            click.echo(line, color=True, nl=isinstance(line, str), err=err)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write(lines: Iterable[str], path: str | None, *, err: bool = False) -> None:
    """Write lines to a file, if one is named: whole or not at all; its folder is made."""
    if path is None:
        show(lines, err=err)
        return
    from devlint.files.atomic_write import OverwriteError
    from devlint.text.reading import reason

    content = "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")
    try:
        save(path, content)
    except OverwriteError as error:
        raise click.ClickException(f"cannot write {path}: {error}") from error
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {reason(error)}") from error


def save(path: str, content: bytes) -> None:
    if os.path.exists(path) and not os.path.isfile(path):
        # Nothing can stand in the place of a device or a pipe; a folder raises.
        with open(path, "wb") as stream:
            stream.write(content)
    else:
        from devlint.files.atomic_write import put

        put(path, content)


def complain(lines: Iterable[str]) -> None:
    """Write lines to stderr; where that fails nobody can be told, and the exit code has to do."""
    from devlint.report.text import visible

    with suppress(OSError):
        for line in lines:
            click.echo(visible(line), err=True)
