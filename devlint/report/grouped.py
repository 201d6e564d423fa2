"""One line for each finding, below the name of its file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from devlint.report import Report
from devlint.report.colour import Palette, position, told
from devlint.report.concise import remark
from devlint.report.summary import summary
from devlint.report.text import visible


def report(report: Report) -> Iterator[str]:
    palette = Palette(report.is_coloured)
    for path, group in groupby(report.findings, key=lambda finding: finding.path):
        findings = list(group)
        width = max(len(position(finding.span)) for finding in findings)
        yield f"{palette.bold(visible(path))}:"
        for finding in findings:
            where = position(finding.span).rjust(width)
            yield f"  {where}  {told(finding, palette)}{palette.faint(remark(finding))}"
        yield ""
    yield from summary(report)
