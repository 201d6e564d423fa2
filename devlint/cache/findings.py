"""Findings as JSON, and back, with a look at each part."""

from __future__ import annotations

from typing import Any, get_args

from devlint.cache.checked import number, one_of, text, truth
from devlint.finding import (
    CONFIDENCES,
    SEVERITIES,
    Edit,
    Finding,
    Patch,
    Presumed,
    Related,
    Safety,
    Span,
)

SAFETIES: tuple[Safety, ...] = get_args(Safety)


def packed(finding: Finding) -> list[object]:
    assert finding.evidence is None, "what a run has shown is not kept"
    fix = finding.fix
    return [
        *(finding.code, finding.name, finding.message, finding.severity, finding.path),
        placed(finding.span),
        [[each.path, placed(each.span), each.message, each.is_later] for each in finding.related],
        fix and [fix.message, fix.safety, edits(fix), fix.risk],
        finding.confidence,
        [[each.name, each.claim] for each in finding.presumed],
    ]


def edits(fix: Patch) -> list[list[object]]:
    return [[placed(each.span), each.text] for each in fix.edits]


def placed(span: Span) -> list[int | None]:
    return [span.cell, span.line, span.column, span.end_line, span.end_column]


def unpacked(told: Any) -> Finding:
    """Raises `ValueError` or `TypeError` where it is none."""
    code, name, message, severity, path, where, others, fix, confidence, presumed = told
    return Finding(
        text(code),
        text(name),
        text(message),
        one_of(severity, SEVERITIES),
        text(path),
        span(*where),
        tuple(related(*each) for each in others),
        None if fix is None else patch(*fix),
        confidence=one_of(confidence, CONFIDENCES),
        presumed=tuple(Presumed(text(key), text(claim)) for key, claim in presumed),
    )


def related(path: Any, where: Any, message: Any, is_later: Any) -> Related:
    return Related(text(path), span(*where), text(message), is_later=truth(is_later))


def patch(message: Any, safety: Any, edits: Any, risk: Any) -> Patch:
    found = tuple(Edit(span(*where), text(new)) for where, new in edits)
    return Patch(text(message), one_of(safety, SAFETIES), found, text(risk))


def span(cell: Any, line: Any, column: Any, end_line: Any, end_column: Any) -> Span:
    return Span(
        None if cell is None else number(cell),
        number(line),
        number(column),
        number(end_line),
        number(end_column),
    )
