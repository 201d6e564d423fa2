"""Batches scanned by the workers of a dask cluster, each by processes of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING

from devlint.scan.batch import Batch
from devlint.scan.child import Setup
from devlint.scan.errors import ScanError
from devlint.scan.result import Result
from devlint.scan.supervision import Supervisor

if TYPE_CHECKING:
    from distributed import Client, Future

#: How many batches are with the scheduler for each thread of its workers.
AHEAD = 3
#: Seconds to wait for the scheduler, and for its first worker.
PATIENCE = 30


def results(
    batches: Sequence[Batch], setup: Setup, scheduler: str
) -> Generator[tuple[Batch, list[Result]], None, None]:
    """In the order in which they are ready; what a worker that dies was at is done again. Raises
    `ScanError`."""
    from distributed import KilledWorker, as_completed

    with connected(scheduler) as client:
        waiting = iter(batches)
        ahead = AHEAD * sum(client.nthreads().values())
        asked = {submitted(client, each, setup): each for each in islice(waiting, ahead)}
        ready = as_completed(asked)
        for future in ready:
            batch = asked.pop(future)
            for each in islice(waiting, 1):
                more = submitted(client, each, setup)
                asked[more] = each
                ready.add(more)
            try:
                yield batch, future.result()
            except KilledWorker as error:
                raise ScanError(f"batch {batch.name} has lost several workers: {error}") from error


def submitted(client: Client, batch: Batch, setup: Setup) -> Future[list[Result]]:
    return client.submit(scanned, batch, setup, pure=False)


def scanned(batch: Batch, setup: Setup) -> list[Result]:
    """What a worker does."""
    return Supervisor(setup).scanned(batch)


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """Raises `ScanError` where nobody would work, or not with the same devlint."""
    from distributed import Client

    try:
        client = Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as error:  # A timeout is an `OSError`, too.
        raise ScanError(f"{scheduler}: no scheduler of dask answers: {error}") from error
    with client:
        refuse_workers(client, scheduler)
        yield client


def refuse_workers(client: Client, scheduler: str) -> None:
    """Raise `ScanError` where workers are missing, or are others."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        versions = client.run(devlint_version)
    except OSError as error:
        raise ScanError(f"{scheduler}: this scheduler has no workers") from error
    except ModuleNotFoundError as error:
        raise ScanError(f"{scheduler}: a worker has no devlint: {error}") from error
    for worker, other in versions.items():
        if other != devlint_version():
            raise ScanError(f"{worker}: this worker has devlint {other}, not {devlint_version()}")


def devlint_version() -> str:
    return version("devlint")
