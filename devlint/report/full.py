"""Findings for people: each with its source, its related places, and a summary at the end."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from devlint.finding import Finding, Related, Span
from devlint.report import Report
from devlint.report.colour import Palette, headline, place
from devlint.report.summary import summary
from devlint.report.text import HIDDEN, REPLACED, commanding_nothing, one_line, standing
from devlint.text.source_text import indent

TAB = 4
#: A span of more lines is shown by its first two and its last.
LONGEST = 4


def report(report: Report) -> Iterator[str]:
    palette = Palette(report.is_coloured)
    for finding in report.findings:
        yield from block(finding, report, palette)
        yield ""
    yield from summary(report)


def block(finding: Finding, report: Report, palette: Palette) -> Iterator[str]:
    ends = [finding.span.end_line, *(each.span.end_line for each in finding.related)]
    gutter = len(str(max(ends)))

    def note(told: str) -> str:
        return f"{' ' * gutter} {palette.blue('=')} {told}"

    def code(each: Finding | Related) -> Iterator[str]:
        for number, line, marks in excerpt(report, each, palette):
            yield f"{palette.blue(number.rjust(gutter))} {palette.blue('|')} {line}"
            if marks:
                yield f"{' ' * gutter} {palette.blue('|')} {marks}"

    yield headline(finding, palette)
    yield from code(finding)
    for (path, span), group in groupby(finding.related, lambda each: (each.path, each.span)):
        said = list(group)
        for each in said:
            yield note(f"{place(path, span)}: {palette.bold(one_line(each.message))}")
        yield from code(said[0])
    if not finding.is_proven:
        yield note(one_line(standing(finding)))
    if finding.fix is not None:
        told = palette.bold(one_line(f"fix: {finding.fix.message}"))
        yield note(f"{told} ({one_line(finding.fix.label)})")
    if finding.evidence is not None:
        yield note(palette.bold(one_line(str(finding.evidence))))


def excerpt(
    report: Report, each: Finding | Related, palette: Palette
) -> Iterator[tuple[str, str, str]]:
    """Line number, text and marks below it for the lines of a span; nothing for an empty file."""
    for number in shown_lines(each.span):
        if number is None:
            yield "", "...", ""
        elif line := report.line(each.path, each.span.cell, number):
            before, inside = widths(line, *columns(line, number, each.span))
            if isinstance(each, Finding):
                marks = palette.by(each.severity, "^" * inside)
            else:
                marks = palette.blue("-" * inside)
            yield str(number), "".join(text for text, _ in shown(line)), " " * before + marks


def shown_lines(span: Span) -> list[int | None]:
    """The line numbers to show; None stands for those left out."""
    numbers = list(range(span.line, span.end_line + 1))
    if len(numbers) <= LONGEST:
        return [*numbers]
    return [*numbers[:2], None, numbers[-1]]


def columns(line: str, number: int, span: Span) -> tuple[int, int]:
    """Where the span starts and ends in one of its lines, from 0, indentation aside."""
    start = span.column - 1 if number == span.line else len(indent(line))
    end = span.end_column - 1 if number == span.end_line else len(line.rstrip())
    return start, end


def widths(line: str, start: int, end: int) -> tuple[int, int]:
    """How wide the text before and inside a range of code points is, the latter at least 1."""
    before, through = (sum(width for _, width in shown(line[:stop])) for stop in (start, end))
    return before, max(1, through - before)


def shown(line: str) -> Iterator[tuple[str, int]]:
    """Each character as it is shown, and how wide that is.

    Control characters are replaced, for a linted file must steer neither terminal nor CI.
    """
    column = 0
    for character in commanding_nothing(line):
        category = unicodedata.category(character)
        if character == "\t":
            text, width = " " * (TAB - column % TAB), TAB - column % TAB
        elif category in HIDDEN:
            text, width = REPLACED, 1
        elif category in ("Mn", "Me"):
            text, width = character, 0
        else:
            text, width = character, 1 + (unicodedata.east_asian_width(character) in "WF")
        column += width
        yield text, width
