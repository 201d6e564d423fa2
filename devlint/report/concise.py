"""One line for each finding."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.report import Report
from devlint.report.colour import Palette, headline


def report(report: Report) -> Iterator[str]:
    palette = Palette(report.is_coloured)
    for finding in report.findings:
        fixable = f" ({finding.fix.safety} fix)" if finding.fix else ""
        yield headline(finding, palette) + palette.faint(fixable)
