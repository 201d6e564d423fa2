"""A dask cluster on this machine, over TCP: a scheduler, and workers that may be killed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cluster:
    address: str
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def cluster(workers: int) -> Iterator[Cluster]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        told = folder / "scheduler.json"
        common = ["--scheduler-file", str(told), "--no-dashboard"]
        stack.enter_context(started("scheduler", *common, "--host", "127.0.0.1", "--port", "0"))
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
        started_workers = [
            stack.enter_context(started("worker", *common, *options)) for _ in range(workers)
        ]
        from distributed import Client

        with Client(scheduler_file=str(told), timeout=60) as client:
            if workers:
                client.wait_for_workers(workers, timeout=60)
            address = client.scheduler.address
        yield Cluster(address, started_workers)


@contextmanager
def started(kind: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
