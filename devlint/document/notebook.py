"""Notebooks: their code cells read as one program, and what is found there placed in its cell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from devlint.document.excerpt import Excerpt, Section
from devlint.document.ipython import read
from devlint.document.program import Document, Program
from devlint.finding import Edit, Span
from devlint.text.source_text import NEWLINE, UndecodableError, encode_utf8


class Notebook(Document):
    """`is_whole`: also where it does not mention torch, of which the linter has nothing to say."""

    def __init__(self, data: bytes, *, is_whole: bool = False) -> None:
        self.data = data
        self.cells = dict(code_cells(data)) if is_whole or b"torch" in data else {}

    @cached_property
    def programs(self) -> Sequence[Program]:
        """One, of all cells that are in Python."""
        sections = [Section(n, 1, self.lines(n), read(source)) for n, source in self.cells.items()]
        return (Excerpt(sections),) if sections else ()

    @property
    def code_cells(self) -> Sequence[int | None]:
        return (*self.cells,)

    def lines(self, cell: int | None) -> Sequence[str]:
        return () if cell is None else self.cells.get(cell, "").split("\n")

    def file_line(self, span: Span) -> int:
        from devlint.document.json_source import file_line

        if span.cell is None:
            return span.line
        return file_line(self.text, self.sources[span.cell - 1], span.line)

    def edited(self, edits: Sequence[Edit]) -> bytes:
        from devlint.document.json_source import edited

        by_cell: dict[int, list[Edit]] = {}
        for edit in edits:
            if edit.span.cell is not None:
                by_cell.setdefault(edit.span.cell, []).append(edit)
        return encode_utf8(edited(self.text, by_cell), self.data)

    @cached_property
    def sources(self) -> Sequence[int | None]:
        """Where the source of each cell begins in the text."""
        from devlint.document.json_source import sources

        return (*sources(self.text),)

    @cached_property
    def text(self) -> str:
        return self.data.decode("utf-8-sig")


def code_cells(data: bytes) -> tuple[tuple[int, str], ...]:
    """The number and source of each code cell; none where the notebook is not of Python."""
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
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
        if cell["cell_type"] == "code" and language_of(cell) == "python":
            source = "".join(cell["source" if "source" in cell else "input"])
            if source.strip():
                yield number, NEWLINE.sub("\n", source)


def language_of(cell: Any) -> Any:
    """As version 3 of the format says it, or VS Code of a cell that has another language."""
    editor = (cell.get("metadata") or {}).get("vscode") or {}
    return cell.get("language") or editor.get("languageId") or "python"
