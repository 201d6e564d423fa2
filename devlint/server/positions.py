"""Places of a text as editors count them: from 0, columns in units of the agreed encoding."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from devlint.finding import Edit, Span
from devlint.text.source_text import NEWLINE

#: How many units a character has in each encoding.
UNITS = {
    types.PositionEncodingKind.Utf8: lambda text: len(text.encode("utf-8", "surrogatepass")),
    types.PositionEncodingKind.Utf16: lambda text: (
        len(text.encode("utf-16-le", "surrogatepass")) // 2
    ),
    types.PositionEncodingKind.Utf32: len,
}


class Positions:
    """The places of one text; what lies outside of it is its nearest place."""

    def __init__(self, text: str, encoding: str | None) -> None:
        self.lines = NEWLINE.split(text)
        self.units = UNITS[types.PositionEncodingKind(encoding or "utf-16")]

    def range(self, span: Span) -> types.Range:
        start = self._position(span.line, span.column)
        return types.Range(start, self._position(span.end_line, span.end_column))

    def place(self, position: types.Position) -> tuple[int, int]:
        """A line and a column, each counted from 1."""
        line = self.lines[min(position.line, len(self.lines) - 1)]
        before = (n for n in range(len(line) + 1) if self.units(line[:n]) >= position.character)
        return position.line + 1, next(before, len(line)) + 1

    def edits(self, edits: Iterable[Edit]) -> list[types.TextEdit]:
        return [types.TextEdit(self.range(each.span), each.text) for each in edits]

    def _position(self, line: int, column: int) -> types.Position:
        line = min(line, len(self.lines))
        return types.Position(line - 1, self.units(self.lines[line - 1][: column - 1]))
