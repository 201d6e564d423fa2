"""Scripts that lines such as `# %%` part into cells, as Jupytext, Spyder and VS Code have them."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from devlint.document.excerpt import Excerpt, Section
from devlint.document.ipython import Reading, Refusal, kept, parsed, read
from devlint.document.program import Program
from devlint.text.source_text import NEWLINE, newline_of

#: `# %%time` is a magic that Jupytext has commented out.
MARKER = re.compile(r"#[ \t]*%%+(?:[ \t]+(?P<title>.*))?$")
#: Cells that need not be Python.
TEXT = re.compile(r"\[(?:markdown|md|raw)\]")


def program(text: str) -> Program:
    """The program of a script, in which cells may have magics and show their last expression."""
    lines = NEWLINE.split(text)
    starts = [index for index, line in enumerate(lines) if MARKER.match(line)]
    found = parsed(lines) if starts else None
    if found is None:
        return Program(text)
    if isinstance(found, Refusal):
        sections = list(cells(lines, starts))
    else:
        made = "\n".join(kept(lines, shown(found, starts)))
        sections = [Section(None, 1, lines, Reading([""] * len(lines), lines, made))]
    # One that is like any other script is read like one, and so is what is wrong with it.
    read_anew = (each for each in sections if each.reading.refusal is None)
    if not any(each.reading.text != "\n".join(each.texts) for each in read_anew):
        return Program(text)
    return Excerpt(sections, newline_of(text))


def shown(tree: ast.Module, starts: Sequence[int]) -> Iterator[ast.stmt]:
    """The last statement of each cell, if nothing of it is in the next one."""
    for statement, after in pairwise([*tree.body, None]):
        assert statement is not None
        end = statement.end_lineno
        assert end is not None
        following = bisect_left(starts, end)
        if after is None or (following < len(starts) and starts[following] < after.lineno):
            yield statement


def cells(lines: Sequence[str], starts: Sequence[int]) -> Iterator[Section]:
    for start, end in pairwise(sorted({0, *starts, len(lines)})):
        texts = lines[start:end]
        reading = read("\n".join(texts))
        if reading.refusal and TEXT.search(texts[0]):
            blank = [""] * len(texts)
            reading = Reading(blank, blank, "\n".join(blank))
        yield Section(None, start + 1, texts, reading)
