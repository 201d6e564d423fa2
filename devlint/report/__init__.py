"""Findings written out, one file per format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from devlint.finding import Finding

#: The module of each output format; its `report` writes one. Imported when it is asked for.
FORMATS = {
    "full": "devlint.report.full",
    "concise": "devlint.report.concise",
    "json": "devlint.report.json",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What a format may write about; `lines` reads the lines of a path, or of a cell of it."""

    findings: Sequence[Finding]
    files: int
    lines: Callable[[str, int | None], Sequence[str]]
    is_coloured: bool = False

    def line(self, path: str, cell: int | None, number: int) -> str:
        """One line of a file or cell, counted from 1; empty when there is none."""
        lines = self.lines(path, cell)
        return lines[number - 1] if 0 < number <= len(lines) else ""


def writer(name: str) -> Callable[[Report], Iterator[str]]:
    """The function that writes a report in the format `name`, as lines."""
    function: Callable[[Report], Iterator[str]] = import_module(FORMATS[name]).report
    return function
