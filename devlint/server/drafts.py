"""Buffers that are half typed, completed so that the rest of them is read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devlint.document.draft import completed, syntax_error
from devlint.document.ipython import read
from devlint.document.reader import document
from devlint.document.script import Script
from devlint.finding import Finding
from devlint.server.buffer import Buffer, Part
from devlint.text.source_text import UndecodableError


@dataclass(frozen=True, slots=True)
class Draft:
    """A buffer that can be read; `touched` are the cells, None outside notebooks, and lines that
    are not as they are typed."""

    buffer: Buffer
    touched: frozenset[tuple[int | None, int]] = frozenset()

    def told(self, finding: Finding) -> Finding:
        """A finding without the fix that would edit a line as it is not."""
        edits = finding.fix.edits if finding.fix is not None else ()
        is_touched = any(
            (each.span.cell, line) in self.touched
            for each in edits
            for line in range(each.span.line, each.span.end_line + 1)
        )
        return replace(finding, fix=None) if is_touched else finding


def drafted(buffer: Buffer) -> Draft | None:
    """None where a script has more wounds than a half-typed statement.

    Of a notebook such a cell is left as it is, and of other documents than scripts what does not
    parse is left out anyway.
    """
    if buffer.is_notebook:
        return notebook(buffer)
    try:
        whole = document(buffer.path, buffer.data)
    except UndecodableError:
        return Draft(buffer)
    texts = [program.text for program in whole.programs]
    if not isinstance(whole, Script) or not any(map(syntax_error, texts)):
        return Draft(buffer)
    found = completed(buffer.parts[0].text)
    if found is None:
        return None
    text, touched = found
    parts = (replace(buffer.parts[0], text=text),)
    return Draft(replace(buffer, parts=parts), frozenset((None, line) for line in touched))


def notebook(buffer: Buffer) -> Draft:
    parts: list[Part] = []
    touched: set[tuple[int | None, int]] = set()
    for cell, part in enumerate(buffer.parts, 1):
        found = completed(part.text) if read(part.text).refusal is not None else None
        if found is not None:
            part = replace(part, text=found[0])
            touched.update((cell, line) for line in found[1])
        parts.append(part)
    return Draft(replace(buffer, parts=tuple(parts)), frozenset(touched))
