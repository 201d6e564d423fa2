"""Markdown: its fenced blocks of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from devlint.document.excerpt import Excerpt, Section
from devlint.document.ipython import read
from devlint.document.program import Document, Program
from devlint.finding import Edit
from devlint.text.source_text import NEWLINE, UndecodableError, edited, encode_utf8, newline_of

#: The line above a block: in quotes, in a list, or behind an indentation.
FENCE = re.compile(
    r"(?P<quote>(?:[ \t]*>)*)(?P<indent>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)"
    r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)"
)
#: `python`, `py title="x"`, `{python}`, `{.python .numberLines}`, `{code-cell} ipython3`.
PYTHON = re.compile(
    r"\s*(?:\{code-(?:cell|block)\}\s*)?\{?\s*\.?(?:i?python3?|py3?|pycon|python-repl)(?=[\s,:{}]|$)",
    re.IGNORECASE,
)
#: An option of a directive, above the code of its block.
OPTION = re.compile(r"\s*:[\w-]+:")
STARTS_PROGRAM = re.compile(r"[ \t]*(?:import|from)[ \t]+torch\b", re.MULTILINE)


class Markdown(Document):
    """The block that imports torch begins a program, which the blocks below it go on with."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        try:
            self.text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UndecodableError(f"not valid UTF-8: {error.reason}") from error

    @cached_property
    def programs(self) -> Sequence[Program]:
        if "torch" not in self.text:
            return ()
        groups: list[list[Section]] = []
        for block in blocks(self.lines(None)):
            section = block.section
            if not groups or STARTS_PROGRAM.search(section.reading.text):
                groups.append([])
            groups[-1].append(section)
        newline = newline_of(self.text)
        return [Excerpt(group, newline) for group in groups]

    def lines(self, cell: int | None) -> Sequence[str]:
        return NEWLINE.split(self.text)

    def edited(self, edits: Sequence[Edit]) -> bytes:
        return encode_utf8(edited(self.text, edits), self.data)


class Block(NamedTuple):
    """The lines of a block, from one of the file, and what stands before the code in each."""

    first: int
    texts: list[str]
    prefixes: list[str]

    @property
    def section(self) -> Section:
        """A block that does not parse is a fragment: what it does is unknown."""
        both = zip(self.texts, self.prefixes, strict=True)
        code = [text[len(prefix) :] for text, prefix in both]
        options = next((n for n, line in enumerate(code) if not OPTION.match(line)), len(code))
        reading = read("\n".join([*[""] * options, *code[options:]]))
        both = zip(self.prefixes, reading.prefixes, strict=True)
        prefixes = [outer + inner for outer, inner in both]
        refusal = reading.refusal and reading.refusal._replace(is_expected=True)
        reading = reading._replace(prefixes=prefixes, refusal=refusal)
        return Section(None, self.first, self.texts, reading)


def blocks(lines: Sequence[str]) -> Iterator[Block]:
    index = 0
    while index < len(lines):
        index += 1
        if opening := FENCE.match(lines[index - 1]):
            block = Block(index + 1, [], [])
            index = body(block, lines, opening)
            if PYTHON.match(opening["info"]) and block.texts:
                yield block


def body(block: Block, lines: Sequence[str], opening: re.Match[str]) -> int:
    """Gather the lines of a block; the index behind it."""
    depth, width = opening["quote"].count(">"), len(opening["indent"])
    prefix = re.compile(rf"(?:[ \t]*>){{{depth}}}[ \t]{{0,{width}}}")
    closing = re.compile(rf"[ \t]*{opening['fence']}{opening['fence'][0]}*[ \t]*$")
    for index in range(block.first - 1, len(lines)):
        found = prefix.match(lines[index])
        if found is None:
            return index
        if closing.match(lines[index], found.end()):
            return index + 1
        block.texts.append(lines[index])
        block.prefixes.append(found[0])
    return len(lines)
