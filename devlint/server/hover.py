"""What is known of the value under the pointer."""

from __future__ import annotations

import os
from collections.abc import Iterable

from lsprotocol import types

from devlint.project.files import Disk
from devlint.project.installed import installed
from devlint.project.project import Project
from devlint.run.explain import Explanation, Question, explained
from devlint.run.explanation import evidence, statement
from devlint.server.buffer import Buffer
from devlint.server.positions import Positions
from devlint.settings import Configuration
from devlint.settings.project_names import Vocabulary
from devlint.text.source_text import UndecodableError


def hover(buffer: Buffer, uri: str, position: types.Position, encoding: str | None) -> str:
    """It in Markdown; empty where nothing is known, or the text is half typed."""
    number = next(n for n, part in enumerate(buffer.parts, 1) if part.uri == uri)
    line, column = Positions(buffer.part(number).text, encoding).place(position)
    cell = number if buffer.is_notebook else None
    question = Question(buffer.path, buffer.data, line, column, cell)
    folder = os.path.dirname(os.path.abspath(buffer.path))
    configuration = Configuration({})
    settings = configuration.scope(folder).settings
    project = None
    if settings.follow_imports:
        project = Project(Disk(), [os.getcwd()], installed(configuration))
    try:
        found = explained(question, project, vocabulary=Vocabulary.of(settings))
    except (SyntaxError, ValueError, RecursionError, MemoryError, UndecodableError):
        return ""
    return "\n\n".join(paragraphs(found))


def paragraphs(found: Iterable[Explanation]) -> Iterable[str]:
    for each in found:
        yield "\n".join([statement(each), *(f"- {line}" for line in evidence(each))])
