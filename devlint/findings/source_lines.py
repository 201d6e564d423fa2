"""The text of files for showing, read again when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from devlint.document.program import Document
from devlint.document.reader import document
from devlint.finding import Span
from devlint.text.reading import read
from devlint.text.source_text import NEWLINE, UndecodableError


class Sources:
    """The lines of files; `read` gives their bytes."""

    def __init__(self, read: Callable[[str], bytes] = read) -> None:
        self.read = read
        self.lines = cache(self._lines)
        self._document = cache(self._opened)

    def _lines(self, path: str, cell: int | None) -> Sequence[str]:
        """None when the file cannot be read; bytes that are no text are replaced."""
        try:
            return self._document(path).lines(cell)
        except UndecodableError:
            return NEWLINE.split(self._content(path).decode(errors="replace"))

    def file_line(self, path: str, span: Span) -> int:
        """The line of the file, as other programs count, in which a span begins."""
        return span.line if span.cell is None else self._document(path).file_line(span)

    def _opened(self, path: str) -> Document:
        return document(path, self._content(path))

    def _content(self, path: str) -> bytes:
        try:
            return self.read(path)
        except OSError:
            return b""
