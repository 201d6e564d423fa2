"""Programs put together from lines of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from devlint.document.ipython import Reading
from devlint.document.program import Omission, Program
from devlint.finding import START, Edit, Span


class Line(NamedTuple):
    """A line of a document, as it stands there and as Python reads it.

    Python does not see the `prefix`, an indentation or a prompt.
    """

    cell: int | None
    number: int
    text: str
    python: str
    prefix: str = ""

    def precedes(self, other: Line) -> bool:
        """Whether another is the next one in the document."""
        return (other.cell, other.number) == (self.cell, self.number + 1)

    @property
    def is_kept(self) -> bool:
        return self.text == self.prefix + self.python

    def keeps(self, start: int, end: int) -> bool:
        """Whether what Python reads from one column to another stands in the document: with all
        before it or all behind it, and not where a line is left out."""
        text = self.text[len(self.prefix) :]
        before, behind = self.python[:end], self.python[start:]
        return self.is_kept or bool(
            (before and text.startswith(before)) or (behind and text[start:] == behind)
        )


class Section(NamedTuple):
    """Lines of a document that stand together, from one of it or of a cell, and how they read."""

    cell: int | None
    first: int
    texts: Sequence[str]
    reading: Reading

    @property
    def lines(self) -> Iterator[Line]:
        rows = zip(self.texts, self.reading.lines, self.reading.prefixes, strict=True)
        for number, row in enumerate(rows, self.first):
            yield Line(self.cell, number, *row)

    @property
    def omission(self) -> Omission | None:
        """What is left out of a program and should not be."""
        refusal = self.reading.refusal
        if refusal is None or refusal.is_expected:
            return None
        line = min(refusal.line, len(self.texts))
        column = refusal.column + len(self.reading.prefixes[line - 1])
        where = f"cell {self.cell} is left out" if self.cell else "a cell is left out"
        number = self.first + line - 1
        span = Span(self.cell, number, column, number, column)
        return Omission(span, f"{where}: {refusal.message}, line {number}", "\n".join(self.texts))


class Excerpt(Program):
    """The program of sections; where it differs from the document is no place for an edit."""

    def __init__(self, sections: Sequence[Section], newline: str = "\n") -> None:
        super().__init__("\n".join(section.reading.text for section in sections))
        self.lines = [line for section in sections for line in section.lines]
        found = (section.omission for section in sections)
        self.omissions = [each for each in found if each is not None]
        self.gaps = sum(section.reading.refusal is not None for section in sections)
        self.newline = newline

    def span(self, span: Span) -> Span:
        if span == START:
            return span
        first, last = self.lines[span.line - 1], self.lines[span.end_line - 1]
        column, end_column = span.column + len(first.prefix), span.end_column + len(last.prefix)
        return Span(first.cell, first.number, column, last.number, end_column)

    def edit(self, edit: Edit) -> Edit | None:
        edit = self.above_next(self.within_cell(edit))
        touched = self.lines[edit.span.line - 1 : edit.span.end_line]
        prefix = touched[0].prefix
        is_within_prompts = "\n" in edit.text and prefix.startswith("...")
        are_apart = any(not one.precedes(other) for one, other in pairwise(touched))
        if are_apart or is_within_prompts or not keep(touched, edit.span):
            return None
        return Edit(self.span(edit.span), edit.text.replace("\n", self.newline + prefix))

    def within_cell(self, edit: Edit) -> Edit:
        """The same edit without the newline behind a cell, which only the program has."""
        span = edit.span
        last, after = self.lines[span.end_line - 2], self.lines[span.end_line - 1]
        is_behind = span.end_column == 1 and span.line < span.end_line and not last.precedes(after)
        if not is_behind or not edit.text.endswith("\n"):
            return edit
        end = span.end_line - 1, len(last.python) + 1
        return Edit(replace(span, end_line=end[0], end_column=end[1]), edit.text[:-1])

    def above_next(self, edit: Edit) -> Edit:
        """An import that would stand above a magic stands below it."""
        line = edit.span.line
        is_import = edit.span.end_line == line and edit.text.startswith(("import ", "from "))
        if not is_import or self.lines[line - 1].is_kept:
            return edit
        candidates = enumerate(self.lines[line:], line + 1)
        line = next((n for n, each in candidates if each.is_kept and each.python.strip()), line)
        return Edit(Span(None, line, 1, line, 1), edit.text)


def keep(lines: Sequence[Line], span: Span) -> bool:
    """Whether all that a span touches stands in the document."""
    if len(lines) == 1:
        return lines[0].keeps(span.column - 1, span.end_column - 1)
    return all(line.is_kept for line in lines)
