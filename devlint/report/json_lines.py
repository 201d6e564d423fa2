"""A JSON object for each finding, on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.report import Report
from devlint.report.json import items
from devlint.report.text import dumped


def report(report: Report) -> Iterator[str]:
    yield from map(dumped, items(report))
