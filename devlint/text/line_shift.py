"""Where places of a text are once edits have changed it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from devlint.finding import Edit, Span
from devlint.text.source_text import NEWLINE


class Place(NamedTuple):
    line: int
    column: int

    def after(self, text: str) -> Place:
        """The place where a text ends that begins here."""
        *above, last = NEWLINE.split(text)
        return Place(self.line + len(above), len(last) + (1 if above else self.column))


TOP = Place(1, 1)


class Region(NamedTuple):
    """The places from one to another, both included."""

    cell: int | None
    start: Place
    end: Place

    def holds(self, span: Span) -> bool:
        """Whether a span begins here."""
        return self.cell == span.cell and self.start <= starts(span) <= self.end

    def meets(self, edit: Edit) -> bool:
        span = edit.span
        is_across = starts(span) <= self.end and self.start <= ends(span)
        return self.cell == span.cell and is_across


@dataclass(frozen=True, slots=True)
class _Anchor:
    """The last place that is known before and after."""

    before: Place
    after: Place

    def moved(self, place: Place) -> Place:
        line, column = self.after
        if place.line == self.before.line:
            return Place(line, column + place.column - self.before.column)
        return Place(line + place.line - self.before.line, place.column)


class Shift:
    """What edits that do not overlap do to the places of a document."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self.edits = sorted(edits)

    def region(self, span: Span) -> Region:
        """Where the start of a span may be afterwards: what is replaced may be all over the new
        text, and what begins where something is inserted before or behind it."""
        place = starts(span)
        anchor = _Anchor(TOP, TOP)
        for edit in self._of(span.cell):
            if place < starts(edit.span):
                break
            start = anchor.moved(starts(edit.span))
            end = start.after(edit.text)
            if place <= ends(edit.span):
                return Region(span.cell, start, end)
            anchor = _Anchor(ends(edit.span), end)
        moved = anchor.moved(place)
        return Region(span.cell, moved, moved)

    def _of(self, cell: int | None) -> Iterable[Edit]:
        return (edit for edit in self.edits if edit.span.cell == cell)


def starts(span: Span) -> Place:
    return Place(span.line, span.column)


def ends(span: Span) -> Place:
    return Place(span.end_line, span.end_column)
