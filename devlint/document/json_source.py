"""The sources of cells in the text of a notebook, and edits of them that leave the rest alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from devlint.finding import Edit
from devlint.text.source_text import NEWLINE, line_starts, newline_of

BLANK = re.compile(r"[ \t\r\n]*")
BLANK_BEFORE = re.compile(r"[ \t\r\n]*\Z")
#: What JSON writes for one character.
CHARACTER = re.compile(
    r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\w{4}|\\[^u]|[^\\]", re.ASCII | re.DOTALL
)
#: Passes over any value at C speed.
SCAN = json.JSONDecoder().raw_decode


class String(NamedTuple):
    """Where the content of a string literal begins and ends."""

    start: int
    end: int


class Character(NamedTuple):
    """A character of a source, as JSON writes it.

    `gap` parts its string from the one before; None where edits decide whether there is any.
    """

    value: str
    text: str
    gap: str | None = None


def edited(text: str, edits: Mapping[int, Iterable[Edit]]) -> str:
    """The text of a notebook after edits of its cells, by their numbers, that do not overlap."""
    parts: list[str] = []
    done = 0
    for number, start in enumerate(sources(text), 1):
        if start is not None and number in edits:
            strings = list(contents(text, start))
            made = after(characters(text, strings), edits[number], is_ascii=text.isascii())
            gap = separator(text, strings) if text[start] == "[" else ""
            parts += text[done : strings[0].start], written(made, gap)
            done = strings[-1].end
    return "".join([*parts, text[done:]])


def after(
    old: Sequence[Character], edits: Iterable[Edit], *, is_ascii: bool
) -> Iterator[Character]:
    """The characters of a source after edits."""
    text = "".join(each.value for each in old)
    starts, newline = line_starts(text), newline_of(text)
    done = 0
    for edit in sorted(edits):
        yield from old[done : starts[edit.span.line - 1] + edit.span.column - 1]
        for value in edit.text.replace("\n", newline):
            yield Character(value, json.dumps(value, ensure_ascii=is_ascii)[1:-1])
        done = starts[edit.span.end_line - 1] + edit.span.end_column - 1
        yield from (each._replace(gap=None) for each in old[done : done + 1])
        done += 1
    yield from old[done:]


def written(characters: Iterable[Character], gap: str) -> str:
    """The strings of a source; in a list, one begins with each line."""
    parts: list[str] = []
    before = ""
    for each in characters:
        undecided = gap if before == "\n" else ""
        parts += undecided if each.gap is None else each.gap, each.text
        before = each.value
    return "".join(parts)


def separator(text: str, strings: Sequence[String]) -> str:
    """What stands between two strings of a list, quotes included."""
    if len(strings) > 1:
        return text[strings[-2].end : strings[-1].start]
    blank = BLANK_BEFORE.search(text, 0, strings[0].start - 1)
    return f'",{blank[0] if blank else ""}"'


def characters(text: str, strings: Sequence[String]) -> list[Character]:
    found: list[Character] = []
    done = strings[0].start
    for string in strings:
        for each in CHARACTER.finditer(text, string.start, string.end):
            value = json.loads(f'"{each[0]}"')
            found.append(Character(value, each[0], text[done : each.start()]))
            done = each.end()
    return found


def contents(text: str, start: int) -> Iterator[String]:
    """The strings that a source consists of, those without content aside."""
    for each in elements(text, start) if text[start] == "[" else (start,):
        _, end = SCAN(text, each)
        if end - each > 2:
            yield String(each + 1, end - 1)


def file_line(text: str, start: int | None, line: int) -> int:
    """The line of a notebook's text in which a line of the source that begins at `start` does."""
    position, left = start or 0, line
    for string in () if start is None else contents(text, start):
        position = string.start
        content = json.loads(f'"{text[string.start : string.end]}"')
        left -= len(NEWLINE.findall(content))
        if left < 1 or (left == 1 and not content.endswith(("\r", "\n"))):
            break
    return text.count("\n", 0, position) + 1


def sources(text: str) -> Iterator[int | None]:
    """Where the source of each cell begins; None where a cell has none."""
    notebook = dict(members(text, blank(text, 0)))
    sheets = elements(text, notebook["worksheets"]) if "worksheets" in notebook else ()
    for cells in [dict(members(text, sheet))["cells"] for sheet in sheets] or [notebook["cells"]]:
        for cell in elements(text, cells):
            fields = dict(members(text, cell))
            yield fields.get("source", fields.get("input"))


def members(text: str, start: int) -> Iterator[tuple[str, int]]:
    """The keys of an object, and where their values begin."""
    position = blank(text, start + 1)
    while text[position] != "}":
        key, position = SCAN(text, position)
        position = blank(text, blank(text, position) + 1)
        yield key, position
        position = behind(text, position)


def elements(text: str, start: int) -> Iterator[int]:
    """Where the items of an array begin."""
    position = blank(text, start + 1)
    while text[position] != "]":
        yield position
        position = behind(text, position)


def behind(text: str, start: int) -> int:
    """Where the next item begins after the value at a place, or what encloses them ends."""
    _, end = SCAN(text, start)
    end = blank(text, end)
    return blank(text, end + 1) if text[end] == "," else end


def blank(text: str, start: int) -> int:
    """Where blanks end."""
    found = BLANK.match(text, start)
    return start if found is None else found.end()
