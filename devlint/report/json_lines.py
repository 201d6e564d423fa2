"""A JSON object for each finding, on a line of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator

from devlint.report import Report
from devlint.report.json import items


def report(report: Report) -> Iterator[str]:
    yield from map(json.dumps, items(report))
