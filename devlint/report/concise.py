"""One line for each finding."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.finding import Finding
from devlint.report import Report
from devlint.report.colour import Palette, headline
from devlint.report.summary import summary


def report(report: Report) -> Iterator[str]:
    palette = Palette(report.is_coloured)
    for finding in report.findings:
        yield headline(finding, palette) + palette.faint(remark(finding))
    yield from summary(report)


def remark(finding: Finding) -> str:
    """What is said of a finding after its message."""
    sure = "" if finding.is_proven else f" ({finding.confidence} confidence)"
    fix = f" ({finding.fix.safety} fix)" if finding.fix else ""
    return sure + fix + (f" ({finding.evidence.summary})" if finding.evidence else "")
