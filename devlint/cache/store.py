"""A folder of files that are there whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

#: The folder that is made where no other is named.
FOLDER = ".devlint_cache"
#: By which programs that copy or search know such a folder: https://bford.info/cachedir.
TAG = "CACHEDIR.TAG"
SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55"
#: What it holds besides.
ABOUT = {
    TAG: f"{SIGNATURE}\n# What devlint keeps between runs; `devlint clean` removes it.\n",
    ".gitignore": "# Made by devlint.\n*\n",
}
#: How the first line of each file begins; the number is that of the format.
HEAD = b"devlint cache 1 "
SUFFIX = ".json"
#: As many files are kept, those that were written last.
KEPT = 24


class NoCacheError(Exception):
    """A folder that is left alone; the message says why."""


@dataclass(frozen=True, slots=True)
class Store:
    folder: str

    def load(self, name: str) -> Any:
        """What was saved under a name; None if that is not there, not whole, or not from here."""
        path = self._path(name)
        try:
            if not os.path.isfile(path):  # Nor a pipe, which would never end.
                return None
            with open(path, "rb") as file:
                head, _, body = file.read().partition(b"\n")
            return json.loads(body) if head == sealed(body) else None
        except (OSError, ValueError, RecursionError, MemoryError):
            return None

    def save(self, name: str, content: object) -> None:
        """Raises `NoCacheError` or `OSError`."""
        from devlint.files.atomic_write import OverwriteError, put

        path, body = self._path(name), json.dumps(content, separators=(",", ":")).encode()
        try:
            self._prepare()
            refuse_link(path)
            put(path, sealed(body) + b"\n" + body)
        except OverwriteError as error:
            raise NoCacheError(str(error)) from error
        self._prune()

    def clean(self) -> bool:
        """Remove the folder, if it is there. Raises `NoCacheError` or `OSError`."""
        if not os.path.lexists(self.folder):
            return False
        refuse_link(self.folder)
        if not self._is_tagged():
            raise NoCacheError(f"no cache of devlint, for it has no {TAG} that says so")
        names = [*self._names(), *self._leavings(), *ABOUT]
        if foreign := sorted({*os.listdir(self.folder)}.difference(names)):
            raise NoCacheError(f"{foreign[0]} in it is not devlint's")
        for name in names:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, name))
        os.rmdir(self.folder)
        return True

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}{SUFFIX}")

    def _prepare(self) -> None:
        refuse_link(self.folder)
        os.makedirs(self.folder, exist_ok=True)
        for name, text in ABOUT.items():
            with suppress(FileExistsError), open(os.path.join(self.folder, name), "x") as file:
                file.write(text)

    def _is_tagged(self) -> bool:
        with suppress(OSError, ValueError), open(os.path.join(self.folder, TAG)) as file:
            return file.readline().strip() == SIGNATURE
        return False

    def _prune(self) -> None:
        paths = [os.path.join(self.folder, name) for name in self._names()]
        with suppress(OSError):  # Another run may have been here first.
            for path in sorted(paths, key=os.path.getmtime)[:-KEPT]:
                os.unlink(path)

    def _names(self) -> Iterator[str]:
        return (name for name in os.listdir(self.folder) if name.endswith(SUFFIX))

    def _leavings(self) -> Iterator[str]:
        """What runs have left that were ended while they wrote."""
        return (name for name in os.listdir(self.folder) if name.endswith(".devlint"))


def told(error: NoCacheError | OSError) -> str:
    """Why nothing can be kept, or removed."""
    return (error.strerror or "").lower() if isinstance(error, OSError) else str(error)


def refuse_link(path: str) -> None:
    """What somebody has put in the place of ours may lead anywhere."""
    if os.path.islink(path):
        raise NoCacheError(f"{os.path.basename(path)} is a link")


def sealed(body: bytes) -> bytes:
    """The first line of a file with this body."""
    return HEAD + digest(body).encode()


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
