"""What is known of the value under the pointer."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from devlint.explain.explanations import Explanation, Question, explained
from devlint.explain.wording import evidence, statement
from devlint.server.buffer import Buffer
from devlint.server.context import HALF_TYPED, context
from devlint.server.positions import Positions


def hover(buffer: Buffer, uri: str, position: types.Position, encoding: str | None) -> str:
    """It in Markdown; empty where nothing is known, or the text is half typed."""
    number = next(n for n, part in enumerate(buffer.parts, 1) if part.uri == uri)
    line, column = Positions(buffer.part(number).text, encoding).place(position)
    cell = number if buffer.is_notebook else None
    question = Question(buffer.path, buffer.data, line, column, cell)
    project, vocabulary = context(buffer.path)
    try:
        found = explained(question, project, vocabulary=vocabulary)
    except HALF_TYPED:
        return ""
    return "\n\n".join(paragraphs(found))


def paragraphs(found: Iterable[Explanation]) -> Iterable[str]:
    for each in found:
        yield "\n".join([statement(each), *(f"- {line}" for line in evidence(each))])
