"""A batch scanned by a child process, which is ended where a project takes too long."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Timer

from devlint.run.workers.pool import ended
from devlint.scan.batch import Batch
from devlint.scan.child import Setup
from devlint.scan.result import Result, failed
from devlint.scan.unit import Unit

#: Where devlint is: a child starts there, so that no module of the working directory is imported.
HOME = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
COMMAND = (sys.executable, "-m", "devlint.scan.child")
SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class StoppedError(Exception):
    """A batch that is not wanted any more."""


class Child:
    """A process that is given units one after another."""

    def __init__(self, setup: Setup) -> None:
        self._limit = setup.limits.seconds
        self._process = subprocess.Popen(
            COMMAND,
            cwd=HOME,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._is_late = False
        with suppress(OSError):  # It has ended: whoever waits for its answer hears of that.
            self._send(setup)

    def result(self, unit: Unit) -> Result | None:
        """None where the process has ended over it."""
        timer = Timer(self._limit, self._expire)
        timer.start()
        try:
            self._send(unit)
            assert self._process.stdout
            result: Result = pickle.load(self._process.stdout)
            return result
        except (OSError, EOFError, pickle.UnpicklingError):
            return None
        finally:
            timer.cancel()

    def end(self) -> str:
        """Why it has ended, or is ended now."""
        if self._process.poll() is None and not self._is_late:
            assert self._process.stdin
            with suppress(OSError):
                self._process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
        self.kill()
        status = self._process.wait()
        for each in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                each.close()  # type: ignore[union-attr]
        return f"took longer than {self._limit:g} seconds" if self._is_late else ended(status)

    def kill(self) -> None:
        """End it, and what it has started."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, SIGKILL)
            else:
                self._process.kill()

    def _expire(self) -> None:
        self._is_late = True
        self.kill()

    def _send(self, message: object) -> None:
        assert self._process.stdin
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()


class Supervisor:
    """Scans batches, several at once where several threads ask, until it is stopped."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lock = Lock()
        self._children: set[Child] = set()
        self._is_stopped = False

    def scanned(self, batch: Batch) -> list[Result]:
        """The results of its units, in order. Raises `StoppedError`."""
        results: list[Result] = []
        while len(results) < len(batch.units):
            with self._child() as child:
                for unit in batch.units[len(results) :]:
                    result = child.result(unit)
                    if self._is_stopped:
                        raise StoppedError
                    results.append(result or failed(unit, child.end(), is_last=True))
                    if results[-1].is_last:
                        break
        return results

    @contextmanager
    def _child(self) -> Iterator[Child]:
        with self._lock:
            if self._is_stopped:
                raise StoppedError
            child = Child(self._setup)
            self._children.add(child)
        try:
            yield child
        finally:
            with self._lock:
                self._children.discard(child)
            child.end()

    def stop(self) -> None:
        """End all that is under way."""
        with self._lock:
            self._is_stopped = True
            for child in self._children:
                child.kill()
