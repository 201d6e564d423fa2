"""What a run is for, besides findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from devlint.findings.filter import Sieve
from devlint.run.outcome import Fixing


def unheard(done: int, total: int) -> None:
    """Nobody follows the progress of a run."""


@dataclass(frozen=True, slots=True)
class Job:
    """With `fixing` each file is mended, and written at once unless a difference is asked for. With
    a `reason`, which may be empty, what is found is silenced in place of fixed. `progress` is told
    how many files of all are done.
    """

    fixing: Fixing | None = None
    sieve: Sieve = field(default_factory=Sieve)
    reason: str | None = None
    progress: Callable[[int, int], None] = unheard

    @property
    def is_plain(self) -> bool:
        """Whether everything is asked for, and nothing is written."""
        return self.fixing is None and self.reason is None and self.sieve == Sieve()
