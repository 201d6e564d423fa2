"""What files hold, by digests: of those that seem untouched since the last run without a look."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from devlint.cache.store import digest
from devlint.project.files import Disk, Files
from devlint.text.reading import read

#: Size, times of the last change of content and of status in nanoseconds, number, digest.
Row: TypeAlias = tuple[int, int, int, int, str]
#: Nanoseconds within which a file may change again and keep its times.
TICK = 2_000_000_000


class Snapshot:
    """Files by their absolute paths; `known` are the rows of an earlier one."""

    def __init__(self, known: Mapping[str, Row | None]) -> None:
        self._known = known
        self._begun = time.time_ns()
        #: What was seen of files, None where they cannot be read.
        self.rows: dict[str, Row | None] = {}
        #: Those that changed while somebody looked.
        self.torn: set[str] = set()

    @property
    def files(self) -> Files:
        """Folders as they are, and files as they are read here."""
        return Disk(self.read)

    def digest(self, path: str) -> str | None:
        """That of what a file holds; None if it cannot be read, or would never end."""
        if path not in self.rows:
            known = self._known.get(path)
            try:
                status = os.stat(path)
                if known and known[:4] == times(status):
                    self.rows[path] = known
                elif stat.S_ISREG(status.st_mode):
                    self.read(path)
                else:
                    self.rows[path] = None
            except OSError:
                self.rows[path] = None
        row = self.rows[path]
        return None if row is None else row[4]

    def read(self, path: str) -> bytes:
        """What a file holds. Raises `OSError`."""
        status = os.stat(path)
        data = read(path)
        size, changed, touched, number = times(status)
        if max(changed, touched) > self._begun - TICK:
            changed = 0  # It may change again, and nothing would tell.
        self._see(path, (size, changed, touched, number, digest(data)))
        return data

    def add(self, rows: Mapping[str, Row | None], torn: Iterable[str]) -> None:
        """Take in what another process has seen of files."""
        self.torn.update(torn)
        for path, row in rows.items():
            self._see(path, row)

    def _see(self, path: str, row: Row | None) -> None:
        before = self.rows.setdefault(path, row)
        if before is not row and (before is None or row is None or before[4] != row[4]):
            self.torn.add(path)


def times(status: os.stat_result) -> tuple[int, int, int, int]:
    """What changes with a file."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
