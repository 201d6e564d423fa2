"""Python files: one program, which is the text of the file, magics in its cells aside."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from devlint.document.program import Document, Program
from devlint.finding import Edit
from devlint.text.source_text import NEWLINE, decode, edited, encode


class Script(Document):
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.text = decode(data)

    @cached_property
    def programs(self) -> Sequence[Program]:
        if "%%" in self.text and "torch" in self.text:
            from devlint.document.percent import program

            return (program(self.text),)
        return (Program(self.text),)

    def lines(self, cell: int | None) -> Sequence[str]:
        return NEWLINE.split(self.text)

    def edited(self, edits: Sequence[Edit]) -> bytes:
        return encode(edited(self.text, edits), self.data)
