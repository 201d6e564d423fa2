"""Batches scanned by processes of this machine."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from devlint.scan.batch import Batch
from devlint.scan.child import Setup
from devlint.scan.result import Result
from devlint.scan.supervision import Supervisor


def results(
    batches: Sequence[Batch], setup: Setup, workers: int
) -> Generator[tuple[Batch, list[Result]], None, None]:
    """In the order in which they are ready; a thread waits for each process."""
    supervisor = Supervisor(setup)
    with ThreadPoolExecutor(workers) as threads:
        futures = {threads.submit(supervisor.scanned, each): each for each in batches}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            supervisor.stop()
            threads.shutdown(wait=False, cancel_futures=True)
