"""The process that analyses projects: a program that reads units and writes results, pickled.

It may take only so much memory, and is ended from outside when a project takes too long.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
import time
from dataclasses import dataclass, replace
from typing import BinaryIO

from devlint.scan.errors import ProjectError
from devlint.scan.limits import Limits
from devlint.scan.result import Result, failed
from devlint.scan.unit import Unit
from devlint.settings import Configuration

#: Seconds between two looks at whether the parent still is there.
PAUSE = 1.0
#: Seconds of analysis between two collections of garbage, which take about 30 milliseconds.
PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class Setup:
    """What a child works with: settings, which are those of all projects, and the `folder` of the
    file that they are from, if they are."""

    configuration: Configuration
    limits: Limits
    folder: str | None = None


def main() -> None:
    source, target = sys.stdin.buffer, private_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # An interrupt is for the parent.
    threading.Thread(target=end_as_orphan, args=(os.getppid(),), daemon=True).start()
    setup: Setup = pickle.load(source)
    if setup.folder:
        os.chdir(setup.folder)  # Where a project is to seem to be.
    limit_memory(setup.limits.memory)
    # What globs are relative to was decided elsewhere, and is not what it is here.
    serve(source, target, replace(setup, configuration=replace(setup.configuration)))


def serve(source: BinaryIO, target: BinaryIO, setup: Setup) -> None:
    """Answer units until there are no more."""
    since = 0.0
    while (unit := received(source)) is not None:
        started = time.process_time()
        result = scanned(unit, setup)
        seconds = time.process_time() - started
        pickle.dump(replace(result, seconds=seconds, memory=most_memory()), target)
        target.flush()
        if result.is_last:
            return
        since += seconds
        if since > PATIENCE:
            since = 0.0
            gc.unfreeze()  # What runs have frozen is garbage now.
            gc.collect()


def received(source: BinaryIO) -> Unit | None:
    try:
        unit: Unit = pickle.load(source)
    except EOFError:
        return None
    return unit


def scanned(unit: Unit, setup: Setup) -> Result:
    """Whatever is in a project, it costs no other."""
    from devlint.scan.analysis import analysed
    from devlint.scan.choice import ProjectChoice
    from devlint.scan.sources import reader

    try:
        tree = reader.tree(unit, ProjectChoice(setup.configuration))
        return analysed(unit, tree, setup.configuration)
    except ProjectError as error:
        return failed(unit, str(error))
    except MemoryError:
        return failed(unit, f"needs more memory than {setup.limits.memory:,} bytes", is_last=True)
    except Exception as error:
        return failed(unit, f"internal error: {type(error).__name__}: {error}")


def private_stdout() -> BinaryIO:
    """What results are written to, and nothing else that anybody prints."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return target


def end_as_orphan(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PAUSE)
    os._exit(1)


def limit_memory(size: int) -> None:
    """Where the system can: more than this is refused, which Python tells as `MemoryError`."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def most_memory() -> int:
    """How many bytes the process has had in memory at the most; 0 where nobody can tell."""
    try:
        import resource
    except ModuleNotFoundError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main()
