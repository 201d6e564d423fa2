"""Files checked one by one, as they are on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from devlint.cache.snapshot import Snapshot
from devlint.lower.limits import allow_recursion
from devlint.project.installed import installed
from devlint.project.modules import Module
from devlint.project.project import Project
from devlint.rule.self_reports import SkippedFile, UnreadableFile
from devlint.run.check import Checked
from devlint.run.front_ends import unreadable
from devlint.run.plans import Plans
from devlint.run.workers.task import Answer, Task
from devlint.settings import Configuration
from devlint.text.reading import TooLargeError, reason


class Checker:
    """What the files of a run are checked with. A pickle of it holds what it was made from, so that
    another process makes its own.

    Modules are looked for in `roots`. `used` are the modules that are looked at, each with what it
    imports, or None where imports are not followed.
    """

    def __init__(
        self,
        configuration: Configuration,
        roots: Sequence[str] = (),
        snapshot: Snapshot | None = None,
        used: Mapping[Module, Sequence[Module]] | None = None,
    ) -> None:
        self.configuration = configuration
        self.roots = roots
        self.snapshot = snapshot or Snapshot({})
        self.project = Project(self.snapshot.files, roots, installed(configuration))
        self.plans = Plans(configuration, self.project)
        self.used = used
        if used is not None:
            self.project.look_at(used)
        allow_recursion()

    def __reduce__(self) -> tuple[type[Checker], tuple[Any, ...]]:
        return Checker, (self.configuration, self.roots, None, self.used)

    def look_at(self, used: Mapping[Module, Sequence[Module]]) -> None:
        """Say which modules are looked at, each with what it imports."""
        self.used = used
        self.project.look_at(used)

    def read(self, path: str) -> bytes:
        """What a file holds that is looked at. Raises `OSError`."""
        return self.snapshot.read(os.path.abspath(path))

    def answer(self, task: Task, kept: Checked | None = None) -> Answer:
        """What is found in a file, unless it is known from an earlier run."""
        path = task.path
        try:
            content = b"" if kept and not kept.findings else self.read(path)
        except OSError as error:
            return Answer(task, unread(path, error))
        if kept is not None:
            return Answer(task, kept, content, is_kept=True)
        one = self.plans.plan(path).check(path, content, known=task.known)
        self.project.tidy()
        if task.is_named and one.stage == "passed" and (fault := unreadable(path, content)):
            one = Checked((fault,))
        return Answer(task, one, content if one.findings else b"")


def unread(path: str, error: OSError) -> Checked:
    if isinstance(error, TooLargeError):
        return Checked((SkippedFile.at(path, f"skipped: {reason(error)}"),))
    return Checked((UnreadableFile.at(path, f"cannot read: {reason(error)}"),))
