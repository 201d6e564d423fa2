"""What a child process of `devlint shift` tells its parent, as it happens."""

from __future__ import annotations

import os
from collections.abc import Container
from typing import Any

from devlint.confirm.dry_run.journal import Diary


class Telling:
    """Of one process: a fork that the code under test has made ends in place of telling."""

    def __init__(self, path: str, passed: Container[str]) -> None:
        self._diary, self._passed = Diary(path), passed
        self._process = os.getpid()

    def has_passed(self, subject: str) -> bool:
        """Whether an earlier process has done it, or was ended by it."""
        return subject in self._passed

    def begin(self, subject: str, doing: str = "") -> None:
        """From now on `subject` is to blame for what becomes of the process."""
        self.tell("begin", subject=subject, doing=doing)

    def tell(self, about: str, **told: Any) -> None:
        if os.getpid() != self._process:
            os._exit(0)
        self._diary.write(about, told)
