"""A Code Quality report of GitLab.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devlint.finding import Finding, Severity
from devlint.report import Report
from devlint.report.github import message
from devlint.report.text import dumped
from devlint.text.display_paths import checkout, relative

LEVELS: dict[Severity, str] = {
    "error": "critical",
    "warning": "major",
    "perf": "minor",
    "note": "info",
}


def report(report: Report) -> Iterator[str]:
    folder = checkout()
    items = [
        item(report, finding, fingerprint, relative(finding.path, folder))
        for finding, fingerprint in report.fingerprinted()
    ]
    yield dumped(items, is_indented=True)


def item(report: Report, finding: Finding, fingerprint: str, path: str) -> dict[str, Any]:
    begin = report.file_line(finding.path, finding.span)
    return {
        "type": "issue",
        "check_name": finding.code,
        "description": f"{finding.code} {finding.name}: {message(finding)}",
        "categories": ["Performance" if finding.severity == "perf" else "Bug Risk"],
        "severity": LEVELS[finding.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": path,
            "lines": {"begin": begin, "end": begin + finding.span.end_line - finding.span.line},
        },
    }
