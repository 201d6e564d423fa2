"""What the child process of a dry run is to do; its parent writes it to a file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from devlint.confirm.sandbox.scratch_copy import no_room

Where = Literal["emulated", "cuda"]
#: A file and the first and last of its lines.
Lines = tuple[str, int, int]


class NoRoomError(Exception):
    """One line: why nothing was run."""


@dataclass(frozen=True, slots=True)
class Papers:
    """The files of a child process, in a folder of its own."""

    folder: str

    @property
    def assignment(self) -> str:
        return os.path.join(self.folder, "assignment.json")

    @property
    def journal(self) -> str:
        return os.path.join(self.folder, "journal.jsonl")

    def begin(self, told: dict[str, Any]) -> None:
        """Write an assignment, as plain data, and an empty journal."""
        with open(self.assignment, "w", encoding="utf-8") as file:
            json.dump(told, file)
        open(self.journal, "x").close()


@contextmanager
def papers_with(told: dict[str, Any], root: str | None) -> Iterator[Papers]:
    """Those of an assignment, in a new folder below `root`.

    Raises `NoRoomError` where they cannot be written.
    """
    with ExitStack() as opened:
        try:
            folder = tempfile.TemporaryDirectory(prefix="devlint-", dir=root)
            papers = Papers(opened.enter_context(folder))
            papers.begin(told)
        except OSError as error:
            raise NoRoomError(no_room(error)) from error
        yield papers


@dataclass(frozen=True, slots=True)
class Assignment:
    """`python program arguments..`, or `python -m program arguments..` if it `is_module`.

    `goes_on`: device events do not raise. `steps`: of optimizers, after which the program ends;
    `None` lets it go on. `memory`: the bytes of each device; `None`: any number. `watched`: what
    the child tells of whether it ran. `is_offline`: it has no network. `prelude`: what
    it writes to stderr as the program begins.
    """

    program: str
    arguments: tuple[str, ...]
    is_module: bool = False
    device: Where = "emulated"
    devices: int = 1
    goes_on: bool = False
    steps: int | None = None
    memory: int | None = None
    watched: tuple[Lines, ...] = ()
    is_offline: bool = False
    prelude: str = ""

    @classmethod
    def read(cls, path: str) -> Assignment:
        with open(path, encoding="utf-8") as file:
            told: dict[str, Any] = json.load(file)
        watched = tuple((name, first, last) for name, first, last in told.pop("watched"))
        return cls(**{**told, "arguments": tuple(told["arguments"]), "watched": watched})
