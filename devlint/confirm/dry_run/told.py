"""The parent's end of the journal of a dry run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from json import loads
from typing import Any

from devlint.confirm.device_tags.device_event import DeviceEvent, distinct, from_plain, renamed
from devlint.confirm.dry_run.journal import End, Start
from devlint.confirm.dry_run.report.generated_code import in_files

#: A line of the journal that nobody can make sense of.
UNREADABLE = ("line", "what was written to it in part")


@dataclass(slots=True)
class Process:
    """`end` is `None` where it ended, or was ended, before it could tell."""

    pid: int
    parent: int = 0
    name: str = ""
    is_fork: bool = False
    is_program: bool = False
    end: End | None = None


@dataclass(slots=True)
class Told:
    """`on`, `torch`: what the program ran on; `ran`: the watched lines that did.

    `name`: what the user calls the files that the program ran from. `missed`: kinds and names of
    what nobody sees into. `killed`: processes, or negative groups, and the signals sent to them.
    """

    name: Callable[[str], str] = str

    on: str = ""
    torch: str = ""
    events: list[DeviceEvent] = field(default_factory=list)
    ran: set[tuple[str, int]] = field(default_factory=set)
    processes: list[Process] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    killed: set[tuple[int, int]] = field(default_factory=set)
    missed: list[tuple[str, str]] = field(default_factory=list)

    def take(self, about: str, told: dict[str, Any], pid: int) -> None:
        """What makes no sense, as where a disk was full, is one more thing that was not seen."""
        try:
            self._take(about, told, pid)
        except (AttributeError, LookupError, TypeError, ValueError):
            self.missed.append(UNREADABLE)

    def _take(self, about: str, told: dict[str, Any], pid: int) -> None:
        if about == "start":
            self.on, self.torch = told["on"], told["torch"]
            self.processes.append(Process(pid, is_program=True))
        elif about == "event":
            self.events.append(in_files(renamed(from_plain(told), self.name)))
        elif about == "ran":
            self.ran.add((self.name(told["path"]), told["line"]))
        elif about == "started":
            self.starts.append(Start(**told))
        elif about == "killed":
            self.killed.add((told["pid"], told["number"]))
        elif about == "missed":
            self.missed.append((told["kind"], told["name"]))
        else:
            self._take_process(about, told, pid)

    def _take_process(self, about: str, told: dict[str, Any], pid: int) -> None:
        if about == "process":
            self.processes.append(Process(pid, **told))
        elif about != "end":
            self.missed.append(UNREADABLE)
        elif (process := self._latest(pid)) and process.end is None:
            process.end = End(**told)

    def _latest(self, pid: int | None) -> Process | None:
        """Numbers of processes return."""
        return next((each for each in reversed(self.processes) if each.pid == pid), None)

    @property
    def _program(self) -> int | None:
        return next((each.pid for each in self.processes if each.is_program), None)

    @property
    def end(self) -> End | None:
        """Of the program itself, or of the one that it gave its process to by `os.exec`."""
        latest = self._latest(self._program)
        return latest.end if latest else None

    @property
    def others(self) -> list[Process]:
        """Those that the program started, or forked, and that were watched."""
        programs = {each.pid for each in self.starts}
        others = (each for each in self.processes if each.pid != self._program)
        # What a fork becomes another program by is no process of its own.
        return [each for each in others if not (each.is_fork and each.pid in programs)]


def read(path: str, name: Callable[[str], str] = str) -> Told:
    """An event that several processes told is there once."""
    told = Told(name)
    for about, what, pid in Entries(path):
        told.take(about, what, pid)
    told.events[:] = distinct(told.events)
    return told


class Entries:
    """Those of a journal, each once: who asks again is given what was written since."""

    def __init__(self, path: str) -> None:
        self._path, self._read = path, 0

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any], int]]:
        """Those that were written to the end: a process that is killed may leave half a line."""
        with open(self._path, "rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                yield _entry(line)


def _entry(line: bytes) -> tuple[str, dict[str, Any], int]:
    """What was told, and by which process; about nothing where that cannot be read."""
    try:
        about, told, pid = loads(line)
    except (TypeError, ValueError, RecursionError):
        return "", {}, 0
    return about, told, pid
