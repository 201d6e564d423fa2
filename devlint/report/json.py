"""A JSON list of findings, for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from devlint.finding import Finding, Patch, Related, Span
from devlint.report import Report
from devlint.report.text import dumped


def report(report: Report) -> Iterator[str]:
    yield dumped([*items(report)], is_indented=True)


def items(report: Report) -> Iterator[dict[str, Any]]:
    for finding, fingerprint in report.fingerprinted():
        yield item(finding, fingerprint)


def item(finding: Finding, fingerprint: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "presumed": [asdict(each) for each in finding.presumed],
        **position(finding.path, finding.span),
        "related": [related(each) for each in finding.related],
        "fix": finding.fix and fix(finding.path, finding.fix),
        "evidence": finding.evidence and asdict(finding.evidence),
        "fingerprint": fingerprint,
    }


def related(place: Related) -> dict[str, Any]:
    return {
        **position(place.path, place.span),
        "message": place.message,
        "is_later": place.is_later,
    }


def fix(path: str, patch: Patch) -> dict[str, Any]:
    edits = [{**position(path, edit.span), "text": edit.text} for edit in patch.edits]
    told = {"message": patch.message, "safety": patch.safety, "risk": patch.risk or None}
    return {**told, "edits": edits}


def position(path: str, span: Span) -> dict[str, Any]:
    return {
        "path": path,
        "cell": span.cell,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
