"""A project to scan: what it is called, and where it is read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["folder", "archive", "git", "table", "unreadable"]


@dataclass(frozen=True, slots=True)
class Unit:
    """`place` is an absolute path or a URL; `part` is what there is of it: a commit, a repository
    in a table, whose rows are in `groups`, or why it cannot be read. `state` changes with what is
    there, `weight` is about how many bytes of files that are."""

    project: str
    kind: Kind
    place: str
    part: str = ""
    groups: tuple[int, ...] = ()
    state: str = ""
    weight: int = 0
