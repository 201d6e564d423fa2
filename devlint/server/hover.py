"""What is known of the value under the pointer, and of the finding there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lsprotocol import types

from devlint.explain.explanations import Explanation, Question, explained
from devlint.explain.wording import evidence, statement
from devlint.rule.page import overview
from devlint.rule.registry import every_rule, rule_named
from devlint.server.analysis import HALF_TYPED, Analysis
from devlint.server.diagnostics import Places
from devlint.server.positions import Positions
from devlint.settings.project_names import Vocabulary


@dataclass(frozen=True, slots=True)
class Pointer:
    """A position in one of the texts of a file, as the editor counts it."""

    analysis: Analysis
    uri: str
    position: types.Position
    encoding: str | None

    @property
    def question(self) -> Question:
        buffer = self.analysis.buffer
        number = next(n for n, part in enumerate(buffer.parts, 1) if part.uri == self.uri)
        line, column = Positions(buffer.part(number).text, self.encoding).place(self.position)
        return Question(
            buffer.path, buffer.data, line, column, number if buffer.is_notebook else None
        )

    @property
    def codes(self) -> Iterable[str]:
        """Those of what is found there."""
        places = Places(self.analysis, self.encoding)
        found = self.analysis.findings or ()
        return {e.code: None for e in found if places.covers(e, self.uri, self.position)}


def hover(pointer: Pointer, vocabulary: Vocabulary) -> str:
    """It in Markdown; empty where nothing is known."""
    return "\n\n".join([*of_value(pointer, vocabulary), *of_rules(pointer.codes)])


def of_value(pointer: Pointer, vocabulary: Vocabulary) -> Iterable[str]:
    """What is known of a value; nothing where the text is half typed."""
    try:
        found = explained(pointer.question, pointer.analysis.project, vocabulary=vocabulary)
    except HALF_TYPED:
        return ()
    return map(paragraph, found)


def paragraph(one: Explanation) -> str:
    return "\n".join([statement(one), *(f"- {line}" for line in evidence(one))])


def of_rules(codes: Iterable[str]) -> Iterator[str]:
    """What rules report, and why that is bad; their pages have the rest."""
    known = every_rule() if codes else []
    for rule in (rule_named(code, known) for code in codes):
        yield f"---\n\n**{rule.code}** `{rule.name}`\n\n{overview(rule)}"
        yield f"`devlint rule {rule.code}` shows examples, and says when it is silent."
