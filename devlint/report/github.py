"""Workflow commands of GitHub, which shows them as annotations of the changed lines.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.finding import Finding, Severity
from devlint.report import Report
from devlint.report.colour import place
from devlint.report.text import one_line, standing, visible
from devlint.text.display_paths import checkout, relative

LEVELS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "perf": "warning",
    "note": "notice",
}
DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
TEXT = str.maketrans(DATA)
PROPERTY = str.maketrans({**DATA, ":": "%3A", ",": "%2C"})


def report(report: Report) -> Iterator[str]:
    folder = checkout()
    for finding in report.findings:
        properties = {
            "title": f"devlint: {finding.code} {finding.name}",
            "file": visible(relative(finding.path, folder)),
            **region(report, finding),
        }
        shown = ",".join(f"{k}={str(v).translate(PROPERTY)}" for k, v in properties.items())
        yield f"::{LEVELS[finding.severity]} {shown}::{message(finding).translate(TEXT)}"


def region(report: Report, finding: Finding) -> dict[str, int]:
    """Columns count on a single line only, and in a notebook not at all."""
    span = finding.span
    line = report.file_line(finding.path, span)
    if span.cell is not None:
        return {"line": line}
    if span.end_line != span.line:
        return {"line": line, "endLine": span.end_line}
    columns = {"col": span.column, "endColumn": max(span.column, span.end_column - 1)}
    return {"line": line, "endLine": line, **columns}


def message(finding: Finding) -> str:
    """What is said of a finding where nothing else is shown: all that there is, a line each."""
    span = finding.span
    where = "" if span.cell is None else f"cell {span.cell}, line {span.line}: "
    lines = [where + finding.message]
    lines += [f"{place(each.path, each.span)}: {each.message}" for each in finding.related]
    if not finding.is_proven:
        lines.append(standing(finding))
    if finding.evidence is not None:
        lines.append(str(finding.evidence))
    return "\n".join(map(one_line, lines))
