"""What the child process of a dry run tells its parent, as it happens: lines of JSON in a file.

What is told is there whatever becomes of the child; processes that it forks tell into the same
file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

# By name: a program may replace what modules hold, as tests do.
from json import dumps, loads
from os import O_APPEND, O_WRONLY, close, getpid, write
from os import open as open_low
from typing import Any, Literal

from devlint.confirm.device_tags.device_event import (
    DeviceEvent,
    distinct,
    from_plain,
    plain,
    renamed,
)

#: How a program ends of itself, was interrupted, or did as many steps as were asked for.
How = Literal["end", "exit", "exception", "interrupted", "steps"]


@dataclass(frozen=True, slots=True)
class End:
    how: How
    status: int


@dataclass(slots=True)
class Told:
    """`on`, `torch`: what the program ran on; `ran`: the watched lines that did.

    `end` is `None` where the process ended before its program could. `name`: what the user calls
    the files that the program ran from.
    """

    name: Callable[[str], str] = str

    on: str = ""
    torch: str = ""
    events: list[DeviceEvent] = field(default_factory=list)
    ran: set[tuple[str, int]] = field(default_factory=set)
    end: End | None = None

    def take(self, about: str, told: dict[str, Any]) -> None:
        if about == "start":
            self.on, self.torch = told["on"], told["torch"]
        elif about == "event":
            self.events.append(renamed(from_plain(told), self.name))
        elif about == "ran":
            self.ran.add((self.name(told["path"]), told["line"]))
        elif about == "end":
            self.end = End(**told)


class Journal:
    """The child's end. Each event is told once, however often it happens."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._process = getpid()
        self._told: set[object] = set()

    def start(self, on: str, torch: str) -> None:
        self._write("start", {"on": on, "torch": torch})

    def event(self, event: DeviceEvent) -> None:
        if event.fault not in self._told:
            self._told.add(event.fault)
            self._write("event", plain(event))

    def ran(self, path: str, line: int) -> None:
        self._write("ran", {"path": path, "line": line})

    def end(self, how: How, status: int) -> int:
        """The status. What a process ends that was forked is not the program."""
        if getpid() == self._process:
            self._write("end", {"how": how, "status": status})
        return status

    def _write(self, about: str, told: dict[str, Any]) -> None:
        """In one write, between which those of other processes do not come.

        The file is opened for it: a program may close files that it does not know. It is no more
        for a process that outlives the run.
        """
        with suppress(FileNotFoundError):
            file = open_low(self._path, O_WRONLY | O_APPEND)
            try:
                write(file, dumps([about, told]).encode() + b"\n")
            finally:
                close(file)


def read(path: str, name: Callable[[str], str] = str) -> Told:
    """The parent's end; an event that several processes told is there once."""
    told = Told(name)
    for about, what in _entries(path):
        told.take(about, what)
    told.events[:] = distinct(told.events)
    return told


def _entries(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Those that were written to the end: a process that is killed may leave half a line."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                about, told = loads(line)
                yield about, told
