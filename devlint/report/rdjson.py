"""reviewdog's JSON, with suggestions.

https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devlint.finding import Finding, Patch, Severity, Span
from devlint.report import Report
from devlint.report.github import message
from devlint.report.text import dumped
from devlint.text.display_paths import relative
from devlint.text.source_text import edited

LEVELS: dict[Severity, str] = {
    "error": "ERROR",
    "warning": "WARNING",
    "perf": "WARNING",
    "note": "INFO",
}
#: Edits that are further apart are no suggestion: it would repeat all lines between them.
FURTHEST = 20


def report(report: Report) -> Iterator[str]:
    diagnostics = [diagnostic(report, finding) for finding in report.findings]
    yield dumped({"source": {"name": "devlint"}, "diagnostics": diagnostics}, is_indented=True)


def diagnostic(report: Report, finding: Finding) -> dict[str, Any]:
    path, span = finding.path, finding.span
    told: dict[str, Any] = {
        "message": message(finding),
        "severity": LEVELS[finding.severity],
        "code": {"value": finding.code},
        "location": {"path": relative(path), "range": region(report, path, span)},
    }
    if finding.fix is None or not (suggestions := [*suggested(report, path, finding.fix)]):
        return told
    told["message"] += f"\nFix ({finding.fix.label}): {finding.fix.message}"
    return {**told, "suggestions": suggestions}


def region(report: Report, path: str, span: Span) -> dict[str, Any]:
    if span.cell is not None:
        return {"start": {"line": report.file_line(path, span)}}
    ends = (span.line, span.column), (span.end_line, span.end_column)
    start, end = (
        {"line": line, "column": in_bytes(report.line(path, None, line), column)}
        for line, column in ends
    )
    return {"start": start, "end": end}


def in_bytes(line: str, column: int) -> int:
    """A column of code points as reviewdog counts: in UTF-8."""
    return len(line[: column - 1].encode("utf-8", "replace")) + 1


def suggested(report: Report, path: str, fix: Patch) -> Iterator[dict[str, Any]]:
    """One suggestion for all edits: of several a reviewer might accept one only."""
    first, last = min(fix.edits).span, max(fix.edits).span
    if first.cell is None and last.end_line - first.line < FURTHEST:
        whole = Span(None, first.line, first.column, last.end_line, last.end_column)
        text = until(report, path, whole.end_line, whole.end_column)
        start = len(until(report, path, whole.line, whole.column))
        yield {"range": region(report, path, whole), "text": edited(text, fix.edits)[start:]}


def until(report: Report, path: str, line: int, column: int) -> str:
    """The text of a file up to a place."""
    *above, last = report.lines(path, None)[:line]
    return "\n".join((*above, last[: column - 1]))
