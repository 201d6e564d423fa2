"""The code around the places that tell of a finding, for formats that have room for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from devlint.finding import Finding, Related, Span
from devlint.report import Report
from devlint.report.full import columns, shown_lines
from devlint.text.source_text import indent

#: Lines shown above and below each place.
AROUND = 2
#: The head of what a place stands in.
HEAD = re.compile(r"\s*(?:async\s+def|def|class)\b")
#: Lines whose indentation says nothing: blanks, comments and the ends of what is in brackets.
ASIDE = re.compile(r"\s*(?:$|#|[)\]}])")

Step = Finding | Related


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is shown: its text in pieces, each with the steps that it is part of.

    `ends` are the steps that end in it.
    """

    number: int
    pieces: tuple[tuple[str, frozenset[int]], ...]
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one file or cell; None stands for those left out."""

    path: str
    cell: int | None
    lines: tuple[Line | None, ...]


def excerpts(report: Report, steps: Sequence[Step]) -> Iterator[Excerpt]:
    """One for each file or cell in which steps are, that of the last step first."""
    groups: dict[tuple[str, int | None], dict[int, Step]] = {}
    for number, step in reversed([*enumerate(steps, 1)]):
        groups.setdefault((step.path, step.span.cell), {})[number] = step
    for (path, cell), group in groups.items():
        text = report.lines(path, cell)
        numbers = sorted({n for step in group.values() for n in around(text, step.span)})
        lines = tuple(spaced(numbers, [line(text[n - 1], n, group) for n in numbers]))
        if lines:
            yield Excerpt(path, cell, lines)


def around(text: Sequence[str], span: Span) -> Iterator[int]:
    """The lines of a span, some around them, and the heads of what they stand in."""
    for number in filter(None, shown_lines(span)):
        if number <= len(text):
            first, last = max(1, number - AROUND), min(len(text), number + AROUND)
            while first < number and not text[first - 1].strip():
                first += 1
            while last > number and not text[last - 1].strip():
                last -= 1
            yield from range(first, last + 1)
    yield from heads(text, span.line)


def heads(text: Sequence[str], number: int) -> Iterator[int]:
    """The lines with the heads of the functions and classes around a line."""
    depth = indentation(text[number - 1]) if number <= len(text) else 0
    while depth and number > 1:
        number -= 1
        above = text[number - 1]
        if not ASIDE.match(above) and indentation(above) < depth:
            depth = indentation(above)
            if HEAD.match(above):
                yield number


def indentation(line: str) -> int:
    return len(indent(line.expandtabs()))


def spaced(numbers: Sequence[int], lines: Sequence[Line]) -> Iterator[Line | None]:
    """The lines, with None in each gap."""
    before = 0
    for number, each in zip(numbers, lines, strict=True):
        if before and number > before + 1:
            yield None
        yield each
        before = number


def line(text: str, number: int, steps: dict[int, Step]) -> Line:
    ranges = {
        step: columns(text, number, each.span)
        for step, each in steps.items()
        if each.span.line <= number <= each.span.end_line
    }
    borders = sorted({0, len(text), *(border for ends in ranges.values() for border in ends)})
    pieces = tuple(
        (
            text[start:end],
            frozenset(
                step for step, (first, last) in ranges.items() if first <= start and end <= last
            ),
        )
        for start, end in pairwise(borders)
    )
    ends = tuple(sorted(step for step in ranges if steps[step].span.end_line == number))
    return Line(number, pieces, ends)
