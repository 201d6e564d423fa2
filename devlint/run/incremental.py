"""What was found before in files that did not change, and use nothing that did."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from devlint.cache.changes import Changes, changes, seen
from devlint.cache.notes import Notes
from devlint.cache.store import digest
from devlint.cache.table import Kept, Table
from devlint.cache.table import packed as packed_table
from devlint.cache.table import unpacked as unpacked_table
from devlint.project.dependencies import Asked
from devlint.project.modules import Module
from devlint.project.order import imported_by
from devlint.project.project import Project
from devlint.rule.self_reports import COMPLAINTS
from devlint.run import outcome_json
from devlint.run.check import Checked
from devlint.run.checked_json import mentioned, packed, unpacked
from devlint.run.outcome import Outcome
from devlint.run.plan import Plan
from devlint.run.plans import Plans
from devlint.run.workers.task import Answer, Task


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a file, and what for: the plan, and what others had shown of it."""

    reason: str
    one: Checked


class Incremental:
    """The `notes` of earlier runs are read, and written anew."""

    def __init__(self, notes: Notes, plans: Plans, project: Project) -> None:
        self.project = project
        self.snapshot = notes.snapshot
        self.packs = plans.packs
        self.table, self.found = read(notes.files(self.packs))
        #: What modules import from the project.
        self.imports: dict[str, tuple[str, ...]] = {}
        #: Whether it is known what all files have asked for.
        self.is_whole = True
        #: Whether there is more to leave than was there.
        self.is_new = False
        self._forget(changes(self.table, self.snapshot, project.files))

    def _forget(self, since: Changes) -> None:
        self.is_new = bool(since.edited)
        for path, each in [*self.found.items()]:
            involved = {os.path.abspath(path), *mentioned(each.one)}
            if os.path.abspath(path) in since.affected or not involved.isdisjoint(since.edited):
                del self.found[path]
        for path in since.changed:
            del self.table.modules[path]

    def knows(self, path: str) -> bool:
        """Whether anything is known of what was found in a file."""
        return path in self.found

    def checked(self, task: Task, plan: Plan) -> Checked | None:
        """What was found in a file, if that is what would be found."""
        each = self.found.get(task.path)
        if each is None or each.reason != self._reason(task, plan):
            return None
        return replace(each.one, stage="screened") if each.one.stage == "decided" else each.one

    def keep(self, answer: Answer, plan: Plan) -> None:
        """Keep what is found in a file, unless it may be due to the machine."""
        self.is_new = True
        path, one = answer.task.path, answer.one
        if one.traceback or any(each.code in COMPLAINTS for each in one.findings):
            self.found.pop(path, None)
        else:
            self.found[path] = Found(self._reason(answer.task, plan), one)

    def _reason(self, task: Task, plan: Plan) -> str:
        """A digest of what a file is looked at for, and of the files with the words that it asked
        for."""
        uses = sorted(task.known.uses.placed), sorted(task.known.uses.made)
        words = [*self._occurrences(os.path.abspath(task.path))]
        asked = (plan.purpose, task.is_named, task.known.findings, uses, words)
        return digest(repr(asked).encode(errors="surrogatepass"))

    def _occurrences(self, path: str) -> Iterator[object]:
        words, occurrences = sorted(self._asked(path).words), self.project.occurrences
        if words and occurrences is not None:
            own = Module(path)
            yield occurrences.is_imported(own)
            for word in words:
                yield (
                    word,
                    [
                        (each.path, self.snapshot.digest(each.path), occurrences.knows(each, own))
                        for each in occurrences.of(word)
                    ],
                )

    def imported_by(self, module: Module) -> list[Module]:
        """What a module imports from its project."""
        kept = self.table.modules.get(module.path)
        if kept and kept.imports is not None and kept.digest == self.snapshot.digest(module.path):
            return [Module(path) for path in kept.imports]
        found = [e for e in imported_by(self.project, module) if not e.is_namespace]
        self.imports[module.path] = tuple(each.path for each in found)
        return found

    def leave(self, notes: Notes, outcome: Outcome, key: str) -> None:
        """Leave what was found for the next run; the `key` says what the outcome was asked for.
        Raises `NoCacheError` or `OSError`."""
        if not notes.are_kept or self.snapshot.torn or not self.is_whole:
            return  # Of what is torn, some may have been found in a text that is no longer there.
        table = self.next_table()
        if self.is_new:
            found = {path: [each.reason, packed(each.one)] for path, each in self.found.items()}
            notes.leave_files(self.packs, [packed_table(table), found])
        told = outcome_json.packed(outcome)
        if key and told is not None and self.found.keys() >= {*outcome.paths}:
            paths = {*table.modules, *map(os.path.abspath, outcome.paths)}
            notes.leave_outcome(self.packs, sorted(paths), table.names, key, told)

    def next_table(self) -> Table:
        """The modules that were looked at, and all that those have asked for."""
        asked = {os.path.abspath(path): self._asked(os.path.abspath(path)) for path in self.found}
        pending = [*asked]
        while pending:
            one = asked[pending.pop()]
            new = (one.links | one.texts) - asked.keys()
            asked.update((path, self._asked(path)) for path in new)
            pending += new
        read = {path for one in asked.values() for path in one.links | one.texts}
        modules = {path: self._kept(path, one, path in read) for path, one in asked.items()}
        names = {name for one in asked.values() for name in one.names}
        return Table(modules, {name: self.project.files.entry(*name) for name in names})

    def _asked(self, path: str) -> Asked:
        kept = self.table.modules.get(path)
        asked = self.project.modules.asked[path]
        return asked if kept is None else asked | kept.asked

    def _kept(self, path: str, asked: Asked, is_read: bool) -> Kept:
        now = self.snapshot.digest(path)
        kept = self.table.modules.get(path)
        if kept is None or kept.digest != now:
            kept = Kept(now)
        if is_read and kept.interface is None:
            kept.interface = seen(path, self.snapshot)
        kept.imports, kept.asked = self.imports.get(path, kept.imports), asked
        return kept


def read(told: Any) -> tuple[Table, dict[str, Found]]:
    """What an earlier run has kept; nothing where it makes no sense."""
    try:
        table, each = told
        found = {path: Found(reason, unpacked(one)) for path, (reason, one) in each.items()}
        return unpacked_table(table), found
    except (ValueError, TypeError, LookupError, AttributeError):
        return Table(), {}
