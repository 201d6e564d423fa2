"""A scan: batches that are not done yet are scanned, a sample of them first."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from typing import Any, Protocol

from devlint.cache.store import digest
from devlint.scan.batch import Batch, identity
from devlint.scan.child import Setup
from devlint.scan.estimate import Estimate, estimate
from devlint.scan.mark import Mark
from devlint.scan.result import Result
from devlint.scan.store import Store
from devlint.settings import Settings

#: Settings that decide nothing of what is found.
INDIFFERENT = {"jobs", "cache", "cache_dir", "output_format", "fail_level", "baseline"}


class Engine(Protocol):
    """Scans batches, and gives the results of each as soon as they are there."""

    def __call__(
        self, batches: Sequence[Batch], setup: Setup
    ) -> Generator[tuple[Batch, list[Result]], None, None]: ...


@dataclass(frozen=True, slots=True)
class Scan:
    """`marks` are those of the batches that are done, by their numbers."""

    batches: Sequence[Batch]
    setup: Setup
    store: Store
    engine: Engine
    marks: dict[int, Mark] = field(default_factory=dict)

    def begin(self, sources: Sequence[str]) -> None:
        """Begin, or go on with what is in the folder. Raises `ScanError`."""
        self.store.open(self.manifest(sources))
        for batch in self.batches:
            if mark := self.store.done(batch):
                self.marks[batch.number] = mark

    def manifest(self, sources: Sequence[str]) -> dict[str, Any]:
        """What has to be the same for a scan to go on."""
        units = [unit for batch in self.batches for unit in batch.units]
        names = digest("\n".join(each.name for each in self.batches).encode())
        overall = self.setup.configuration.overall
        return {
            "devlint": version("devlint"),
            "settings": {name: repr(getattr(overall, name)) for name in decisive()},
            "limits": asdict(self.setup.limits),
            "sources": [*sources],
            "projects": {"number": len(units), "identity": identity(units)},
            "batches": {"number": len(self.batches), "identity": names},
        }

    @property
    def left(self) -> list[Batch]:
        return [each for each in self.batches if each.number not in self.marks]

    @property
    def projects(self) -> int:
        """How many projects are done."""
        return sum(each.projects for each in self.marks.values())

    def run(self, batches: Sequence[Batch]) -> Iterator[Batch]:
        """Scan batches, which are given as what comes of them is kept."""
        with closing(self.engine(batches, self.setup)) as results:
            for batch, found in results:
                self.marks[batch.number] = self.store.write(batch, found)
                yield batch

    def estimate(self) -> Estimate:
        """What the rest will cost, by what is done."""
        return estimate([*self.marks.values()], sum(each.weight for each in self.left))


def decisive() -> list[str]:
    return [each.name for each in fields(Settings) if each.name not in INDIFFERENT]
