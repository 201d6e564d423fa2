"""One line for each finding."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.finding import Finding
from devlint.report import Report
from devlint.report.colour import Palette, headline


def report(report: Report) -> Iterator[str]:
    palette = Palette(report.is_coloured)
    for finding in report.findings:
        yield headline(finding, palette) + palette.faint(fixable(finding))


def fixable(finding: Finding) -> str:
    return f" ({finding.fix.safety} fix)" if finding.fix else ""
