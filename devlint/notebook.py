"""Notebooks: their code cells read as one program, and what is found there placed in its cell."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import Any

from devlint.audit import Audit
from devlint.check import Checked, check
from devlint.faults import START, UnreadableFile
from devlint.finding import Finding, Span
from devlint.ipython import python
from devlint.rule import Rule
from devlint.source import NEWLINE, UndecodableError
from devlint.source import lines_of as lines_of_file

SUFFIX = ".ipynb"


@dataclass(frozen=True, slots=True)
class Notebook:
    """`text` is the program of the cells with these numbers; `starts` has their first lines."""

    text: str
    numbers: tuple[int, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, cells: Sequence[tuple[int, str]]) -> Notebook:
        # A coding comment counts in the first two lines of a file, in a cell it never does.
        parts = ["\n", *(python(source) for _, source in cells)]
        starts = accumulate((part.count("\n") + 1 for part in parts[:-1]), initial=1)
        return cls("\n".join(parts), tuple(number for number, _ in cells), tuple(starts)[1:])

    def placed(self, finding: Finding) -> Finding:
        """A finding of the program in its cell. Its fix is left out: edits reach no cell yet."""
        related = tuple(replace(each, span=self.span(each.span)) for each in finding.related)
        return replace(finding, span=self.span(finding.span), related=related, fix=None)

    def span(self, span: Span) -> Span:
        if span == START:
            return span
        index = bisect_right(self.starts, span.line) - 1
        above = self.starts[index] - 1
        line, end_line = span.line - above, span.end_line - above
        return Span(self.numbers[index], line, span.column, end_line, span.end_column)


def check_notebook(
    path: str, data: bytes, rules: Sequence[Rule[Any]], audit: Audit | None, *, screen: bool
) -> Checked:
    """The findings of one notebook, shown under `path`, faults included."""
    if b"torch" not in data:
        return Checked()
    try:
        notebook = Notebook.of(code_cells(data))
    except UndecodableError as error:
        return Checked((UnreadableFile.at(path, f"cannot read: {error}"),))
    # What has no UTF-8 (half of a surrogate pair) is in no cell that Python reads.
    one = check(path, notebook.text.encode(), rules, audit, screen=screen)
    return replace(one, findings=tuple(map(notebook.placed, one.findings)))


def code_cells(data: bytes) -> tuple[tuple[int, str], ...]:
    """The number and source of each code cell; none where the notebook is not of Python."""
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UndecodableError(f"not a valid notebook: {error}") from error
    try:
        return tuple(of_python(notebook))
    except (AttributeError, KeyError, TypeError) as error:
        raise UndecodableError("not a valid notebook: it has no list of cells") from error


def of_python(notebook: Any) -> Iterator[tuple[int, str]]:
    about = notebook.get("metadata") or {}
    languages = (
        (about.get("kernelspec") or {}).get("language"),
        (about.get("language_info") or {}).get("name"),
    )
    if any(language and "python" not in language.lower() for language in languages):
        return
    # Up to version 3 of the format, cells stand in worksheets and their source is their `input`.
    sheets = notebook.get("worksheets", [notebook])
    cells = [cell for sheet in sheets for cell in sheet["cells"]]
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] == "code" and cell.get("language", "python") == "python":
            source = cell["source" if "source" in cell else "input"]
            yield number, NEWLINE.sub("\n", "".join(source))


@cache
def lines_of(path: str, cell: int | None) -> Sequence[str]:
    """The lines of a file, or of a cell of a notebook, for showing: none when it cannot be read."""
    return lines_of_file(path) if cell is None else cells_of(path).get(cell, "").split("\n")


@cache
def cells_of(path: str) -> dict[int, str]:
    try:
        with open(path, "rb") as file:
            return dict(code_cells(file.read()))
    except (OSError, UndecodableError):
        return {}
