"""What the processes of a dry run tell its parent, as it happens: lines of JSON in a file.

What is told is there whatever becomes of a process; those that the program starts tell into the
same file.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass, replace

# By name: a program may replace what modules hold, as tests do.
from json import dumps
from os import O_APPEND, O_WRONLY, close, getpid, getppid
from os import open as open_low
from os import write as write_low
from typing import Any, Literal

from devlint.confirm.device_tags.device_event import DeviceEvent, plain
from devlint.confirm.dry_run.process_name import process_name

#: How a program ends of itself, was interrupted, did as many steps as were asked for, or left by
#: `os._exit`.
How = Literal["end", "exit", "exception", "interrupted", "steps", "left"]


@dataclass(frozen=True, slots=True)
class End:
    how: How
    status: int


@dataclass(frozen=True, slots=True)
class Start:
    """A program that a process started; `pid` is `None` where nobody knows it.

    `python`: whether the process itself is Python, may start it, as a shell does, or neither.
    """

    pid: int | None
    command: str
    python: Literal["itself", "within", "no"]


class Diary:
    """Lines that any process writes into one file: what they are about, what is told, and who."""

    def __init__(self, path: str) -> None:
        self._path = path

    def write(self, about: str, told: dict[str, Any]) -> None:
        """In one write, between which those of other processes do not come.

        The file is opened for it: a program may close files that it does not know. It is no more
        for a process that outlives the run.
        """
        with suppress(FileNotFoundError):
            file = open_low(self._path, O_WRONLY | O_APPEND)
            try:
                write_low(file, dumps([about, told, getpid()]).encode() + b"\n")
            finally:
                close(file)


class Journal(Diary):
    """The end of one process and its forks. Each event is told once, however often it happens."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._main: int | None = None
        self._told: set[object] = set()

    def start(self, on: str, torch: str) -> None:
        """Of the program itself."""
        self._main = getpid()
        self.write("start", {"on": on, "torch": torch})

    def process(self, *, is_fork: bool = False) -> None:
        """One that the program started begins here, and is watched."""
        told = {"parent": getppid(), "name": process_name(), "is_fork": is_fork}
        self.write("process", told)

    def started(self, start: Start) -> None:
        self.write("started", asdict(start))

    def killed(self, pid: int, number: int) -> None:
        """A signal was sent; a negative `pid` is a group of processes, as `os.kill` has it."""
        self.write("killed", {"pid": pid, "number": number})

    def event(self, event: DeviceEvent) -> None:
        if event.fault not in self._told:
            self._told.add(event.fault)
            process = "" if getpid() == self._main else process_name()
            self.write("event", plain(replace(event, process=process)))

    def missed(self, kind: str, name: str) -> None:
        """What happens in it nobody sees."""
        if (kind, name) not in self._told:
            self._told.add((kind, name))
            self.write("missed", {"kind": kind, "name": name})

    def ran(self, path: str, line: int) -> None:
        self.write("ran", {"path": path, "line": line})

    def end(self, how: How, status: int) -> int:
        """The status. Of what a process tells of its end the first counts."""
        self.write("end", {"how": how, "status": status})
        return status
