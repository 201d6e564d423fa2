"""What of a table of modules no longer holds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from devlint.cache.dependents import stale
from devlint.cache.interface import interface
from devlint.cache.snapshot import Snapshot
from devlint.cache.table import Table
from devlint.project.files import Files


@dataclass(frozen=True, slots=True)
class Changes:
    """Modules by the paths of their files: those of another text, those that are no longer the same
    to others, and all that see something else for it."""

    edited: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    affected: frozenset[str] = frozenset()


def changes(table: Table, snapshot: Snapshot, files: Files) -> Changes:
    modules = table.modules
    edited = {each for each, kept in modules.items() if snapshot.digest(each) != kept.digest}
    moved = {name for name, entry in table.names.items() if files.entry(*name) != entry}
    changed = {each for each in edited if seen(each, snapshot) != modules[each].interface}
    if moved:
        changed |= {e for e, kept in modules.items() if not moved.isdisjoint(kept.asked.names)}
    asked = {each: kept.asked for each, kept in modules.items()}
    affected = stale(asked, changed)
    return Changes(frozenset(edited), frozenset(changed), frozenset(affected))


def seen(path: str, snapshot: Snapshot) -> str | None:
    """The interface of a file; None where it cannot be read."""
    if snapshot.digest(path) is None:
        return None
    with suppress(OSError):
        return interface(snapshot.read(path))
    return None
