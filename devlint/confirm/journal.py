"""What the child process of a dry run tells its parent, as it happens: lines of JSON in a file.

What is told is there whatever becomes of the child; processes that it forks tell into the same
file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from devlint.confirm.device_event import DeviceEvent, from_plain, plain, renamed

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
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._process = os.getpid()
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
        if os.getpid() == self._process:
            self._write("end", {"how": how, "status": status})
        return status

    def _write(self, about: str, told: dict[str, Any]) -> None:
        """In one write, between which those of other processes do not come."""
        os.write(self._file, json.dumps([about, told]).encode() + b"\n")


def read(path: str, name: Callable[[str], str] = str) -> Told:
    """The parent's end."""
    told = Told(name)
    for about, what in _entries(path):
        told.take(about, what)
    return told


def _entries(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Those that were written to the end: a process that is killed may leave half a line."""
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                about, told = json.loads(line)
                yield about, told
