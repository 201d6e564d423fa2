"""Lines that a change would make too long, broken between two arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

import libcst as cst

from devlint.finding import Edit
from devlint.lower.cst_span import Offsets
from devlint.text.source_text import NEWLINE, edited, indent

#: A line of this length is nowhere too long; lines as long as others of the file neither.
WIDTH = 88
TAB = 4


def fitted(offsets: Offsets, old: cst.CSTNode, edits: list[Edit]) -> list[Edit]:
    """The edits of a change, with a line break more where one line becomes too long without it.

    It comes before a new last argument, or behind an argument that grows.
    """
    numbers = {line for edit in edits for line in (edit.span.line, edit.span.end_line)}
    if len(numbers) != 1 or any(NEWLINE.search(edit.text) for edit in edits):
        return edits
    line = offsets.rows[numbers.pop() - 1]
    if width(line, edits) <= WIDTH:
        return edits
    widest = max(WIDTH, *map(columns, offsets.rows))
    if width(line, edits) <= widest:
        return edits
    breaks = chain(before_last(offsets, old, edits), behind(offsets, old, edits))
    return next((each for each in breaks if width(line, each) <= widest), edits)


def width(line: str, edits: Sequence[Edit]) -> int:
    """How long a line becomes by its edits, or the longest of those it becomes, a comment behind
    them aside."""
    last = max(edit.span.end_column for edit in edits) - 1
    code = line[:last] + line[last:].partition("#")[0].rstrip()
    after = edited(code, (on_first_line(edit) for edit in edits))
    return max(map(columns, NEWLINE.split(after)))


def columns(line: str) -> int:
    return len(line.expandtabs(TAB))


def on_first_line(edit: Edit) -> Edit:
    return replace(edit, span=replace(edit.span, line=1, end_line=1))


def before_last(offsets: Offsets, old: cst.CSTNode, edits: list[Edit]) -> Iterator[list[Edit]]:
    """A new last argument on a line of its own, below the first one."""
    match old, edits:
        case cst.Call(args=[_, *_]), [Edit(span=span, text=text)] if text.startswith(", "):
            column = margin(offsets, old, span.line)
            yield [Edit(span, f",{offsets.default_newline}{column}{text[2:]}")]


def behind(offsets: Offsets, old: cst.CSTNode, edits: list[Edit]) -> Iterator[list[Edit]]:
    """As few as may be of the arguments behind one that grows on a line of their own, below the
    first one."""
    match [*islice(offsets.around(old), 3)]:
        case [_, cst.Arg() as argument, cst.Call() as call] if argument.value is old:
            index = call.args.index(argument)
        case _:
            return
    for each in reversed(call.args[index:-1]):
        blank = each.comma.whitespace_after if isinstance(each.comma, cst.Comma) else None
        if isinstance(blank, cst.SimpleWhitespace):
            _, end = offsets.outer[id(each.comma)]
            span = offsets.span(end - len(blank.value), end)
            if span.line != edits[0].span.line:
                continue
            column = margin(offsets, call, span.line)
            yield sorted([*edits, Edit(span, f"{offsets.default_newline}{column}")])


def margin(offsets: Offsets, call: cst.Call, line: int) -> str:
    """What to indent an argument by so that it stands below the first one, or, where that stands
    above, below what is on its line."""
    start, end = offsets.outer[id(call.args[0])]
    first = offsets.span(start, end)
    before = indent(offsets.rows[line - 1])
    return before + " " * (first.column - 1 - len(before)) if first.line == line else before
