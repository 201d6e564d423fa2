"""What a document is, and a program in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from devlint.finding import Edit, Span


class Omission(NamedTuple):
    """A text that was to be a part of a program, and why it is none; `span` is in the document."""

    span: Span
    message: str
    text: str


class Program:
    """Python text that is analysed as one, and where its places are in the document."""

    omissions: Sequence[Omission] = ()
    #: How many parts of the document are left out because Python does not parse them.
    gaps: int = 0

    def __init__(self, text: str) -> None:
        self.text = text

    def span(self, span: Span) -> Span:
        """A span of the text, in the document."""
        return span

    def edit(self, edit: Edit) -> Edit | None:
        """An edit of the text, in the document; None where the document has no such text."""
        return edit


class Document(ABC):
    """A file. Spans and edits of it count lines in the file, or in a cell where they name one."""

    @property
    @abstractmethod
    def programs(self) -> Sequence[Program]:
        """The programs of the document, in order."""

    @property
    def code_cells(self) -> Sequence[int | None]:
        """The cells whose lines are code; only None outside notebooks."""
        return (None,)

    @abstractmethod
    def lines(self, cell: int | None) -> Sequence[str]:
        """The lines of the file, or of a cell."""

    def file_line(self, span: Span) -> int:
        """The line of the file, as other programs count, in which a span begins."""
        return span.line

    @abstractmethod
    def edited(self, edits: Sequence[Edit]) -> bytes:
        """The file after edits that do not overlap; raises `UnwritableError`."""
