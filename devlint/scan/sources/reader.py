"""The files of a unit, read into memory."""

from __future__ import annotations

from devlint.scan.choice import ProjectChoice
from devlint.scan.errors import ProjectError
from devlint.scan.sources import archives, folders, repositories, tables
from devlint.scan.tree import Tree
from devlint.scan.unit import Unit


def tree(unit: Unit, choice: ProjectChoice) -> Tree:
    """Raises `ProjectError`."""
    found = Tree(choice)
    if unit.kind == "folder":
        folders.read(unit.place, found)
    elif unit.kind == "archive":
        archives.read(unit.place, found)
    elif unit.kind == "git":
        repositories.read(unit.place, unit.part, found)
    elif unit.kind == "table":
        tables.read(unit, found)
    else:
        raise ProjectError(unit.part)
    return found
