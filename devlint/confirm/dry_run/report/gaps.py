"""What a dry run did not see: processes that nobody watched to their end, and what is opaque."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

from devlint.confirm.dry_run.journal import Start
from devlint.confirm.dry_run.told import Process, Told
from devlint.report.text import count

_NAMED = 3
#: What ends a process that has done its work, as pools and launchers do.
_ORDERLY = [
    int(getattr(signal, name)) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
]
#: Kinds of what nobody sees into: one of them, several, and why.
_OPAQUE = {
    "process": ("process", "processes", "without emulated CUDA"),
    "wrapper": ("wrapper subclass", "wrapper subclasses", "of tensors that nobody sees into"),
    "line": ("line of the journal", "lines of the journal", "that cannot be read"),
    "graph": ("replayed graph", "replayed graphs", "of CUDA, which did nothing"),
}


def gaps(told: Told, *, is_success: bool) -> Iterator[str]:
    """A line for each kind of gap.

    `is_success`: nothing else says that something went wrong; a program tells of processes that
    failed if it failed with them.
    """
    silent = [each for each in told.others if each.end is None]
    running = [each for each in silent if is_running(each.pid)]
    broken = [each for each in silent if each not in running and not is_ended(each, told)]
    failed = [each for each in told.others if each.end and each.end.status] if is_success else ()
    commands = [each.command for each in unseen(told)]
    yield from _line("Python process", "Python processes", "not watched", commands)
    for processes, what in (
        (running, "still running when the program had ended"),
        (broken, "ended without a word, as after a crash"),
        (failed, "ended with an exit code other than 0"),
    ):
        yield from _line("process", "processes", what, [each.name for each in processes])
    for kind, words in _OPAQUE.items():
        yield from _line(*words, _missed(told, kind))


def foreign_operators(told: Told) -> Iterator[str]:
    """Those of other libraries: what they are given is compared, what they do is not."""
    names = _missed(told, "operator")
    if names:
        what = count(len(names), "operator of another library", "operators of other libraries")
        yield f"not seen inside {what}: {_listed(names)}"


def _missed(told: Told, kind: str) -> list[str]:
    return [name for each, name in told.missed if each == kind]


def is_settled(told: Told) -> bool:
    """Whether nothing more will be told."""
    late = [each.pid for each in unseen(told) if each.pid is not None]
    late += [each.pid for each in told.others if each.end is None]
    return not any(map(is_running, late))


def end_all(told: Told) -> set[tuple[int, int]]:
    """What the program started is no longer waited for; the signals that were sent."""
    running = [each.pid for each in told.others if each.end is None and is_running(each.pid)]
    for pid in running:
        with suppress(OSError):  # It has just ended, or is another user's.
            os.kill(pid, signal.SIGTERM)
    return {(pid, int(signal.SIGTERM)) for pid in running}


def unseen(told: Told) -> list[Start]:
    """Starts of Python of which no process told anything."""
    begun = [each for each in told.processes if not (each.is_fork or each.is_program)]
    known = {each.pid for each in told.starts if each.python == "itself"}
    within = [each for each in begun if each.pid not in known]
    open_ones = Counter(each.pid for each in begun)
    found = []
    for start in told.starts:
        if start.pid is not None and open_ones[start.pid]:
            open_ones[start.pid] -= 1
        elif start.python == "itself" or (start.python == "within" and not _has(start, within)):
            found.append(start)
    return found


def _has(start: Start, begun: Iterable[Process]) -> bool:
    """Whether one of the processes may be of this start; a shell may become its last command."""
    return any(start.pid in (None, each.pid, each.parent) for each in begun)


def is_ended(process: Process, told: Told) -> bool:
    """Whether the program ended it, or its group, in the way that leaves time to."""
    pids = (process.pid, -process.pid)
    return any((pid, number) in told.killed for pid in pids for number in _ORDERLY)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:  # It is another user's, or there is no /proc.
        return True


def _line(one: str, several: str, what: str, names: list[str]) -> Iterator[str]:
    if names:
        yield f"incomplete: {count(len(names), one, several)} {what}: {_listed(names)}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return "; ".join(names[:_NAMED]) + more
