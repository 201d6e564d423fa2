"""What runs leave for the next one of the same kind: what they found, and all that they read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from devlint.cache.checked import text
from devlint.cache.snapshot import Row, Snapshot
from devlint.cache.store import Store
from devlint.cache.table import Names
from devlint.cache.tool import identity
from devlint.project.files import Disk, Entry

#: How many outcomes are kept, those of the last runs.
OUTCOMES = 8


@dataclass(frozen=True, slots=True)
class Run:
    """The last one: which devlint that was, with which folders of rule packs; files with what they
    held, names that were looked up in folders; and what came of it, by what was asked for."""

    tool: str = ""
    packs: Sequence[str] = ()
    rows: dict[str, Row | None] = field(default_factory=dict)
    names: dict[str, dict[str, Entry | None]] = field(default_factory=dict)
    outcomes: dict[str, Any] = field(default_factory=dict)

    def told(self) -> list[object]:
        return [self.tool, self.packs, self.rows, self.names, self.outcomes]


class Notes:
    """`store` is where they are; without one nothing is known, and nothing left. `name` is that of
    the kind. What files hold is taken from a `snapshot`, if one is given."""

    def __init__(
        self, store: Store | None = None, name: str = "", snapshot: Snapshot | None = None
    ) -> None:
        self._store = store
        self._name = name
        self._last = last(store.load(f"run-{name}") if store else None)
        self._tool = cache(identity)
        self.snapshot = snapshot or Snapshot(self._last.rows)

    @property
    def are_kept(self) -> bool:
        return self._store is not None

    def outcome(self, key: str) -> Any:
        """What came of the last run that asked for the same; None if anything has changed."""
        known = self._last.outcomes.get(key)
        return known if known is not None and self._holds else None

    @property
    def _holds(self) -> bool:
        """Whether all is as it was."""
        run, disk = self._last, Disk()
        return (
            run.tool == self._tool(tuple(run.packs))
            and all(self.snapshot.digest(e) == digest_of(row) for e, row in run.rows.items())
            and all(is_like(disk.names(folder), held) for folder, held in run.names.items())
        )

    def files(self, packs: Iterable[str]) -> Any:
        """What was found in files; None if nothing is known, or not by this devlint."""
        told = self._store.load(f"files-{self._name}") if self._store else None
        if isinstance(told, list) and len(told) == 2 and told[0] == self._tool(tuple(packs)):
            return told[1]
        return None

    def leave_files(self, packs: Iterable[str], told: object) -> None:
        """Raises `NoCacheError` or `OSError`."""
        if self._store:
            self._store.save(f"files-{self._name}", [self._tool(tuple(packs)), told])

    def leave_outcome(
        self, packs: Sequence[str], paths: Iterable[str], names: Names, key: str, outcome: object
    ) -> None:
        """Keep what came of a run that has read these files and looked up these names. Raises
        `NoCacheError` or `OSError`."""
        if not self._store:
            return
        for path in paths:
            self.snapshot.digest(path)
        rows = {path: self.snapshot.rows[path] for path in paths}
        held: dict[str, dict[str, Entry | None]] = {}
        for (folder, name), entry in names.items():
            held.setdefault(folder, {})[name] = entry
        before = self._last.outcomes if (self._last.rows, self._last.names) == (rows, held) else {}
        known = {**{k: v for k, v in before.items() if k != key}, key: outcome}
        kept = dict([*known.items()][-OUTCOMES:])
        run = Run(self._tool(tuple(packs)), packs, rows, held, kept)
        self._store.save(f"run-{self._name}", run.told())


def last(told: Any) -> Run:
    """The last run; one of which nothing is known where it makes no sense."""
    try:
        tool, packs, rows, names, outcomes = told
        return Run(
            text(tool),
            [text(each) for each in packs],
            {path: None if row is None else checked(*row) for path, row in rows.items()},
            {folder: {**held} for folder, held in names.items()},
            {**outcomes},
        )
    except (ValueError, TypeError, LookupError, AttributeError):
        return Run()


def checked(size: Any, changed: Any, touched: Any, number: Any, digest: Any) -> Row:
    return size, changed, touched, number, text(digest)


def digest_of(row: Row | None) -> str | None:
    return None if row is None else row[4]


def is_like(held: Mapping[str, Entry], known: Mapping[str, Entry | None]) -> bool:
    """Whether the names that were looked up in a folder are what they were."""
    return {name: held.get(name) for name in known} == known
