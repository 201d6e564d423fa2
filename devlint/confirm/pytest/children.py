"""The processes that tests start and fork: they are on emulated CUDA, and tell of it here."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict

import torch

from devlint.confirm.device_tags.device_event import DeviceEvent, from_plain
from devlint.confirm.dry_run.followed_environment import followed, unfollowed
from devlint.confirm.dry_run.journal import Journal
from devlint.confirm.dry_run.process_starts import tell_starts
from devlint.confirm.dry_run.report.gaps import gaps, is_ended, is_running, unseen
from devlint.confirm.dry_run.request import Assignment, Papers
from devlint.confirm.dry_run.told import Entries, Process, Told

#: Seconds that processes have to begin which the last test started.
_GRACE = 5.0
_BLINK = 0.05
#: What `multiprocessing` keeps until Python ends: module, object, and the attribute with its pid.
_KEPT = (
    ("multiprocessing.resource_tracker", "_resource_tracker", "_pid"),
    ("multiprocessing.forkserver", "_forkserver", "_forkserver_pid"),
)


class Children:
    """Of this process, until `end` is called.

    An event is of note if its process fails, or the test does in which it happens: what tests and
    processes await is not.
    """

    def __init__(self, devices: int) -> None:
        self._pid = os.getpid()
        self._folder = tempfile.mkdtemp(prefix="devlint-")
        papers = Papers(self._folder)
        papers.begin(asdict(Assignment("pytest", (), devices=devices)))
        self._journal = Journal(papers.journal)
        self._entries, self._told = Entries(papers.journal), Told()
        self._recent: list[tuple[int, DeviceEvent]] = []
        self._earlier: list[tuple[int, DeviceEvent]] = []
        self._journal.start("emulated CUDA", torch.__version__)
        self._stop_telling = tell_starts(self._journal)
        os.environ.update(followed(os.environ, self._folder))

    def hear(self, event: DeviceEvent) -> None:
        """Of an event in this process, or in one that a test forked."""
        if os.getpid() != self._pid:
            self._journal.event(event)

    def events(self, *, has_failed: bool) -> list[DeviceEvent]:
        """Those of note that nobody was given; of a test that `has_failed`, all that are new."""
        self._read()
        broken = {each.pid for each in self._told.others if self._is_broken(each)}
        found = [(pid, event) for pid, event in self._earlier if pid in broken]
        found += [each for each in self._recent if has_failed or each[0] in broken]
        self._earlier = [each for each in self._earlier if each not in found]
        self._recent = [each for each in self._recent if each not in found]
        return [event for _, event in found]

    def go_on(self) -> None:
        """To the next test: what happened until now is told only if its process fails."""
        self._earlier += self._recent
        self._recent = []

    def gaps(self) -> list[str]:
        """What was not seen, a line for each kind."""
        until = time.monotonic() + _GRACE
        while self._are_beginning() and time.monotonic() < until:
            time.sleep(_BLINK)
            self._read()
        kept = set(_kept())
        told = self._told
        told.processes[:] = [each for each in told.processes if each.pid not in kept]
        told.starts[:] = [each for each in told.starts if each.pid not in kept]
        return list(gaps(told, is_success=False))

    def end(self) -> None:
        """Processes that start now are as without devlint."""
        if os.getpid() != self._pid or not os.path.isdir(self._folder):
            return
        self._stop_telling()
        before = unfollowed(os.environ)
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self) -> None:
        for about, told, pid in self._entries:
            if about == "event":
                self._recent.append((pid, from_plain(told)))
            else:
                self._told.take(about, told, pid)

    def _is_broken(self, process: Process) -> bool:
        if process.end is not None:
            return process.end.status != 0
        return not (is_running(process.pid) or is_ended(process, self._told))

    def _are_beginning(self) -> bool:
        pids = [each.pid for each in unseen(self._told) if each.pid is not None]
        return any(map(is_running, pids))


def _kept() -> Iterator[int]:
    for module, name, attribute in _KEPT:
        yield getattr(getattr(sys.modules.get(module), name, None), attribute, None) or 0
