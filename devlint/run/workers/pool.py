"""Processes that check files beside each other."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection
from multiprocessing.context import BaseContext

from devlint.rule.self_reports import SkippedFile
from devlint.run.check import Checked
from devlint.run.workers.checker import Checker
from devlint.run.workers.task import Answer, Farewell, Task


class Worker:
    """A process with its end of a pipe."""

    def __init__(self, context: BaseContext, checker: Checker) -> None:
        self.end, theirs = context.Pipe()
        self.process = context.Process(  # type: ignore[attr-defined]
            target=serve, args=(theirs, checker), daemon=True
        )
        with no_interrupts():
            self.process.start()
        theirs.close()
        #: What it is busy with.
        self.task: Task | None = None

    def give(self, task: Task) -> None:
        self.task = task
        with suppress(OSError):  # It has ended: whoever waits for its answer hears of that.
            self.end.send(task)

    def answer(self) -> Answer | None:
        """What it has found; None where it has ended."""
        try:
            answer: Answer = self.end.recv()
        except (EOFError, OSError):
            return None
        self.task = None
        return answer

    def farewell(self) -> Farewell | None:
        """What it leaves at the end; None where it has ended before."""
        try:
            self.end.send(None)
            left: Farewell = self.end.recv()
        except (EOFError, OSError):
            return None
        return left

    def end_it(self) -> None:
        self.process.kill()
        self.process.join()
        self.end.close()


class Pool:
    """Some workers; one that ends is replaced."""

    def __init__(self, checker: Checker, size: int) -> None:
        self._context = multiprocessing.get_context("fork" if can_fork() else "spawn")
        self._checker = checker
        self._workers = [Worker(self._context, checker) for _ in range(size)]
        #: How many have been replaced.
        self._lost = 0

    def close(self) -> None:
        """End all of them, whatever they are busy with."""
        for each in self._workers:
            each.end_it()

    @property
    def idle(self) -> Worker | None:
        """A worker that has nothing to do."""
        return next((each for each in self._workers if each.task is None), None)

    def answers(self) -> Iterator[Answer]:
        """What the busy ones have found, as soon as one has found anything; nothing if none is."""
        busy = {each.end: each for each in self._workers if each.task is not None}
        for end in connection.wait(list(busy)) if busy else ():
            worker = busy[end]  # type: ignore[index]
            task = worker.task
            assert task is not None
            yield worker.answer() or self._replace(worker, task)

    def _replace(self, worker: Worker, task: Task) -> Answer:
        """What is said of a file whose worker has ended."""
        self._lost += 1
        worker.process.join()
        status = worker.process.exitcode
        worker.end_it()
        self._workers[self._workers.index(worker)] = Worker(self._context, self._checker)
        return Answer(task, Checked((SkippedFile.at(task.path, ended(status)),)))

    def farewells(self) -> Iterator[Farewell | None]:
        """What the workers leave, now idle; None for each that has ended before."""
        yield from [None] * self._lost
        yield from (each.farewell() for each in self._workers)


def serve(end: connection.Connection, checker: Checker) -> None:
    """What a worker does until it is told to end, or nobody is left to tell it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # An interrupt is for the run.
    gc.disable()  # As in the run: see `no_garbage_collection`.
    project, snapshot = checker.project, checker.snapshot
    try:
        while (task := end.recv()) is not None:
            answer = checker.answer(task)
            end.send(answer._replace(asked=project.modules.asked[os.path.abspath(task.path)]))
        end.send(Farewell(dict(project.modules.asked), snapshot.rows, frozenset(snapshot.torn)))
    except (EOFError, OSError):
        return


@contextmanager
def no_interrupts() -> Iterator[None]:
    """An interrupt comes after the block, and never to the processes that are started in it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def can_fork() -> bool:
    """Whether a process can be forked: not one with threads, and not where system libraries may
    have some."""
    is_possible = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
    return is_possible and threading.active_count() == 1


def ended(status: int | None) -> str:
    """What is said of a file that has ended its worker."""
    if status is not None and status < 0:
        names = {each.value: each.name for each in signal.Signals}
        name = names.get(-status, f"signal {-status}")
        return f"skipped: {name} ended its analysis, as happens where memory runs out"
    return f"skipped: its analysis ended by itself with exit code {status}"
