"""A JSON list of findings, for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from devlint.finding import Finding, Patch, Related, Span
from devlint.report import Report


def report(report: Report) -> Iterator[str]:
    seen: Counter[tuple[str, ...]] = Counter()
    items = []
    for finding in report.findings:
        context = (finding.code, finding.path, normalised(report, finding))
        seen[context] += 1
        items.append(item(finding, fingerprint(*context, str(seen[context]))))
    yield json.dumps(items, indent=2)


def normalised(report: Report, finding: Finding) -> str:
    """The finding's first line, without what a formatter changes."""
    return " ".join(report.line(finding.path, finding.span.cell, finding.span.line).split())


def fingerprint(*context: str) -> str:
    """Names a finding by its code, path, line text and occurrence, so that moved lines keep it."""
    text = "\0".join(context)
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def item(finding: Finding, fingerprint: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "severity": finding.severity,
        **position(finding.path, finding.span),
        "related": [related(each) for each in finding.related],
        "fix": finding.fix and fix(finding.path, finding.fix),
        "fingerprint": fingerprint,
    }


def related(place: Related) -> dict[str, Any]:
    return {**position(place.path, place.span), "message": place.message}


def fix(path: str, patch: Patch) -> dict[str, Any]:
    edits = [{**position(path, edit.span), "text": edit.text} for edit in patch.edits]
    return {"message": patch.message, "safety": patch.safety, "edits": edits}


def position(path: str, span: Span) -> dict[str, Any]:
    return {
        "path": path,
        "cell": span.cell,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
