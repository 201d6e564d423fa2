"""Findings for people: each with its source, its related places, and a summary at the end."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from devlint.finding import Finding, Related, Severity, Span
from devlint.report import Report
from devlint.report.colour import Palette, headline, place
from devlint.report.text import (
    HIDDEN,
    REPLACED,
    commanding_nothing,
    count,
    one_line,
    standing,
)
from devlint.text.source_text import indent

TAB = 4
#: A span of more lines is shown by its first two and its last.
LONGEST = 4
#: What findings of a severity are counted as.
NOUNS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "perf": "slow place",
    "note": "note",
}


def report(report: Report) -> Iterator[str]:
    palette = Palette(report.is_coloured)
    for finding in report.findings:
        yield from block(finding, report, palette)
        yield ""
    if report.is_quiet:
        return
    if report.findings or report.files:
        yield summary(report)
    if report.fixable or report.held_back:
        yield remedy(report)
    if report.spared:
        which = "in the baseline, or on unchanged lines"
        yield f"{count(report.spared, 'finding')} left out ({which})."
    if report.doubtful:
        yield f"{report.doubtful} more with `--confidence low`."
    if report.left_out:
        yield report.left_out


def block(finding: Finding, report: Report, palette: Palette) -> Iterator[str]:
    places: list[Finding | Related] = [finding, *finding.related]
    gutter = len(str(max(each.span.end_line for each in places)))
    yield headline(finding, palette)
    for each in places:
        if isinstance(each, Related):
            where = place(each.path, each.span)
            told = palette.bold(one_line(each.message))
            yield f"{' ' * gutter} {palette.blue('=')} {where}: {told}"
        for number, line, marks in excerpt(report, each, palette):
            yield f"{palette.blue(number.rjust(gutter))} {palette.blue('|')} {line}"
            if marks:
                yield f"{' ' * gutter} {palette.blue('|')} {marks}"
    if not finding.is_proven:
        yield f"{' ' * gutter} {palette.blue('=')} {one_line(standing(finding))}"
    if finding.fix is not None:
        told = palette.bold(one_line(f"fix: {finding.fix.message}"))
        yield f"{' ' * gutter} {palette.blue('=')} {told} ({finding.fix.safety})"
    if finding.evidence is not None:
        told = palette.bold(one_line(str(finding.evidence)))
        yield f"{' ' * gutter} {palette.blue('=')} {told}"


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


def summary(report: Report) -> str:
    if not report.findings and report.fixed:
        return f"Found {count(report.fixed, 'finding')} ({report.fixed} fixed, 0 left)."
    if not report.findings:
        return f"{report.nothing}."
    files = len({finding.path for finding in report.findings})
    found = count(len(report.findings) + report.fixed, "finding")
    told = kinds(report.findings)
    if report.fixed:
        told = f"{report.fixed} fixed, {len(report.findings)} left: {told}"
    first = report.findings[0].code
    which = "it" if len(report.findings) == 1 else "the first"
    where = count(files, "file")
    return f"Found {found} ({told}) in {where}. `devlint rule {first}` explains {which}."


def kinds(findings: Sequence[Finding]) -> str:
    """How many findings there are of each severity."""
    numbers = Counter(finding.severity for finding in findings)
    return ", ".join(count(numbers[kind], noun) for kind, noun in NOUNS.items() if numbers[kind])


def remedy(report: Report) -> str:
    """What fixes could do about the findings."""
    if not report.fixable:
        return f"{report.held_back} can be fixed with `devlint --fix --unsafe-fixes`."
    line = f"{report.fixable} can be fixed with `devlint --fix`"
    unsafe = f"{report.held_back} more with `devlint --fix --unsafe-fixes`"
    return f"{line}, {unsafe}." if report.held_back else f"{line}."
