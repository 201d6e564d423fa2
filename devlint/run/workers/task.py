"""What is asked of a worker, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from devlint.cache.snapshot import Row
from devlint.project.dependencies import Asked
from devlint.run.check import Checked
from devlint.run.elsewhere import Shown


class Task(NamedTuple):
    """A file to check, of which others have shown what is `known`; of one that `is_named` by itself
    syntax errors are always reported."""

    path: str
    known: Shown
    is_named: bool


class Answer(NamedTuple):
    """What was found for a task: by an earlier run if it `is_kept`, else maybe by another process,
    with what the file has `asked` of its project there. Where anything was found, `content` is what
    the file held."""

    task: Task
    one: Checked
    content: bytes = b""
    is_kept: bool = False
    asked: Asked | None = None


class Farewell(NamedTuple):
    """What a worker has learnt of all modules: what they have asked for, and what they hold."""

    asked: Mapping[str, Asked]
    rows: Mapping[str, Row | None]
    torn: frozenset[str]
