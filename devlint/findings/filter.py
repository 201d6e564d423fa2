"""The sieve of a run: which findings count, of all that are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devlint.finding import Finding
from devlint.findings.source_lines import Sources

if TYPE_CHECKING:
    from devlint.findings.baseline import Baseline
    from devlint.findings.changed_lines import Changes


@dataclass(frozen=True, slots=True)
class Sieve:
    """What no `baseline` knows and `changes` hold; everything without either."""

    baseline: Baseline | None = None
    changes: Changes | None = None

    def spares(self, path: str) -> bool:
        """Whether nothing in a file can count, so that it need not be read."""
        return self.changes is not None and not self.changes.may_hold(path)

    def spared(self, path: str, data: bytes, findings: Sequence[Finding]) -> list[Finding]:
        """The findings of a file that do not count."""
        spared: list[Finding] = []
        if self.baseline is not None:
            lines = Sources(lambda path: data).lines
            spared += self.baseline.known(path, findings, lines)
        if self.changes is not None:
            spared += self.changes.miss(path, data, [e for e in findings if e not in spared])
        return spared
