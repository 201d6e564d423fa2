"""Where the lines of what ran stand in the user's documents: those of a notebook, in its cells."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

from devlint.confirm.device_tags.provenance import Frame
from devlint.document.excerpt import Excerpt, Line
from devlint.document.notebook import Notebook
from devlint.document.program import Program
from devlint.document.reader import NOTEBOOK
from devlint.finding import Span
from devlint.text.reading import read
from devlint.text.source_text import UndecodableError, decode


def named(path: str) -> str:
    """As reports name files: from the working directory, unless they are elsewhere."""
    try:
        relative = os.path.relpath(path)
    except (FileNotFoundError, ValueError):  # It is gone; of Windows: it is on another drive.
        return path
    return path if relative.startswith(os.pardir) else relative


def where(frame: Frame) -> str:
    """The document and the line in it, of a notebook with the cell."""
    span = span_of(frame)
    cell = "" if span.cell is None else f"cell {span.cell}:"
    return f"{named(frame[0])}:{cell}{span.line}"


def notebook(path: str) -> Program:
    """What runs of a notebook: its code cells, in their order, without magics.

    Raises `UndecodableError` where it is none.
    """
    programs = Notebook(read(path), is_whole=True).programs
    return programs[0] if programs else Program("")


def lines_of(path: str, span: Span) -> tuple[int, int]:
    """The first and the last line of the program in a span of the document."""
    if span.cell is None:
        return span.line, span.end_line
    inside = [
        number
        for number, line in enumerate(_lines(path), 1)
        if line.cell == span.cell and span.line <= line.number <= span.end_line
    ]
    return inside[0], inside[-1]


def span_of(frame: Frame) -> Span:
    """The code of a line of the program, in its document."""
    path, number, _ = frame
    lines = _lines(path)
    if not 0 < number <= len(lines):
        return Span(None, number, 1, number, 1)
    line = lines[number - 1]
    text = line.text.rstrip()
    start = len(text) - len(text.lstrip()) + 1
    return Span(line.cell, line.number, start, line.number, max(start, len(text) + 1))


def texts(path: str) -> list[str]:
    """The lines of the program, as they stand in its document."""
    return [f"{line.text}\n" for line in _lines(path)]


@cache
def _lines(path: str) -> Sequence[Line]:
    """None of what is no file, or no longer."""
    try:
        if path.endswith(NOTEBOOK):
            program = notebook(path)
            return program.lines if isinstance(program, Excerpt) else ()
        texts = decode(read(path)).split("\n")
    except (OSError, UndecodableError):
        return ()
    return [Line(None, number, text, text) for number, text in enumerate(texts, 1)]
