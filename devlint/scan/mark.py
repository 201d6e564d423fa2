"""That a batch is done, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devlint.scan.batch import Batch
from devlint.scan.result import Result


@dataclass(frozen=True, slots=True)
class Mark:
    """`seconds` are those of a processor, `memory` are bytes at the most."""

    projects: int
    files: int
    findings: int
    failures: int
    weight: int
    seconds: float
    memory: int

    @classmethod
    def of(cls, batch: Batch, results: Sequence[Result]) -> Mark:
        return cls(
            len(results),
            sum(each.project["files"] for each in results),
            sum(each.project["findings"] for each in results),
            sum(each.project["failures"] for each in results),
            batch.weight,
            sum(each.seconds for each in results),
            max((each.memory for each in results), default=0),
        )
