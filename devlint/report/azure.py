"""Logging commands of Azure Pipelines.

https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.finding import Severity
from devlint.report import Report
from devlint.report.github import message
from devlint.report.text import visible
from devlint.text.display_paths import checkout, relative

#: Azure knows two.
LEVELS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "perf": "warning",
    "note": "warning",
}
DATA = {"%": "%AZP25", "\r": "%0D", "\n": "%0A"}
TEXT = str.maketrans(DATA)
PROPERTY = str.maketrans({**DATA, ";": "%3B", "]": "%5D"})


def report(report: Report) -> Iterator[str]:
    folder = checkout()
    for finding in report.findings:
        properties = {
            "type": LEVELS[finding.severity],
            "sourcepath": visible(relative(finding.path, folder)),
            "linenumber": report.file_line(finding.path, finding.span),
            "columnnumber": finding.span.column if finding.span.cell is None else 1,
            "code": finding.code,
        }
        shown = "".join(f"{k}={str(v).translate(PROPERTY)};" for k, v in properties.items())
        yield f"##vso[task.logissue {shown}]{message(finding).translate(TEXT)}"
