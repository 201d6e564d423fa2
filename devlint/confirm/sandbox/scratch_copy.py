"""A copy of a folder to run a program in: what is large in it is linked."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from devlint.confirm.sandbox.file_overlay import StandIns

#: What may be in the copy, copied or linked one by one; folders past it are linked as a whole.
ENTRIES = 20_000
#: Bytes of a file that is copied, and of all of them.
FILE_MOST = 16 << 20
ALL_MOST = 512 << 20

#: Folders that programs hardly write to, linked as a whole.
_WHOLE = {".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "node_modules", "site-packages"}
#: The mark of a virtual environment, by whatever name.
_VENV = "pyvenv.cfg"
#: What Python makes for itself.
CACHE = "__pycache__"

#: What tells one state of a file from another: of a folder only that it is one.
Stamp = tuple[int, ...]


class SandboxError(Exception):
    """One line: what a sandbox cannot be made of, and what to do."""


def no_room(error: OSError) -> str:
    """Where nothing temporary can be written."""
    what = error.strerror or str(error)
    return f"no temporary files can be written: {what}: set TMPDIR to a folder with room for them"


@dataclass
class ScratchCopy:
    """Breadth first, so that what is left for links is deepest."""

    stand_ins: StandIns
    entries_left: int = ENTRIES
    bytes_left: int = ALL_MOST
    _folders: deque[os.DirEntry[str]] = field(default_factory=deque, init=False)

    def make(self) -> None:
        try:
            self._fill(self.stand_ins.original)
            while self._folders:
                self._folder(self._folders.popleft())
        except OSError as error:
            raise SandboxError(self._complaint(error)) from error

    def _fill(self, folder: str) -> None:
        with os.scandir(folder) as found:
            entries = [each for each in found if each.name != CACHE]
        os.makedirs(self._twin(folder), exist_ok=True)
        self.entries_left -= len(entries)
        for entry in entries:
            self._entry(entry)

    def _entry(self, entry: os.DirEntry[str]) -> None:
        if entry.path == self.stand_ins.root:
            return
        if entry.is_symlink():
            self._link(self._target(entry.path), entry.path)
        elif entry.is_dir():
            self._folders.append(entry)
        elif entry.is_file():
            self._file(entry)

    def _folder(self, entry: os.DirEntry[str]) -> None:
        if entry.name in _WHOLE or not self._may_be_filled(entry.path):
            self._link(entry.path, entry.path)
            return
        self._fill(entry.path)
        status = entry.stat()
        os.utime(self._twin(entry.path), ns=(status.st_atime_ns, status.st_mtime_ns))

    def _may_be_filled(self, folder: str) -> bool:
        """It can be read, is not too large, and is no virtual environment."""
        if not os.access(folder, os.R_OK | os.X_OK):
            return False
        names = os.listdir(folder)
        return len(names) <= self.entries_left and _VENV not in names

    def _file(self, entry: os.DirEntry[str]) -> None:
        size = entry.stat().st_size
        if size > min(FILE_MOST, self.bytes_left) or not os.access(entry.path, os.R_OK):
            self._link(entry.path, entry.path)
            return
        self.bytes_left -= size
        shutil.copy2(entry.path, self._twin(entry.path))

    def _target(self, link: str) -> str:
        """Where the copy of a link leads: into the copy, if the link leads into the folder."""
        written = os.readlink(link)
        target = os.path.normpath(os.path.join(os.path.dirname(link), written))
        inside = self.stand_ins.inside(target)
        return target if inside == target else os.path.relpath(inside, self._twin(link, os.pardir))

    def _link(self, target: str, path: str) -> None:
        os.symlink(target, self._twin(path), target_is_directory=os.path.isdir(target))

    def _twin(self, *path: str) -> str:
        return os.path.normpath(os.path.join(self.stand_ins.inside(path[0]), *path[1:]))

    def _complaint(self, error: OSError) -> str:
        folder = self.stand_ins.original
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            where = os.path.dirname(self.stand_ins.root)
            return f"{where}: no space left for a copy of {folder}: set TMPDIR to another folder"
        if getattr(error, "winerror", None) == _NO_PRIVILEGE:
            return (
                f"{folder}: --sandbox links what is large, and Windows lets you link in its "
                "Developer Mode only: turn that on, or move the data elsewhere"
            )
        return f"{folder}: cannot be copied for --sandbox: {error}"


_NO_PRIVILEGE = 1314


def stamps(folder: str) -> dict[str, Stamp]:
    """Of all that is in it, by its path from there."""
    return {os.path.relpath(path, folder): stamp for path, stamp in _walk(folder)}


def _walk(folder: str) -> Iterator[tuple[str, Stamp]]:
    try:
        entries = [each for each in os.scandir(folder) if each.name != CACHE]
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield entry.path, ()
            yield from _walk(entry.path)
        else:
            yield entry.path, _stamp(entry.stat(follow_symlinks=False))


def _stamp(status: os.stat_result) -> Stamp:
    return (stat.S_IFMT(status.st_mode), status.st_ino, status.st_size, status.st_mtime_ns)
