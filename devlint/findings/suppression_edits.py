"""Comments that silence findings, written and taken out as edits of a text."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.finding import Edit, Patch, Span
from devlint.findings.suppressions import Comment, Suppression, Tokens, Word, suppressions
from devlint.text.source_text import NEWLINE


class Silencer:
    """Writes `# devlint: ignore[CODE]` behind lines of one text."""

    def __init__(self, text: str) -> None:
        self.lines = NEWLINE.split(text)
        self.tokens = Tokens("\n".join(self.lines))
        self._comments: dict[int, list[Comment]] = {}
        for each in self.tokens.comments:
            self._comments.setdefault(each.line, []).append(each)

    def line(self, line: int) -> int | None:
        """The line that bears a comment for this one: itself, or an end of its statement."""
        ends = self.tokens.statements.get(line, ())
        return next((each for each in (line, *ends) if each in self.tokens.open), None)

    def edit(self, line: int, codes: Sequence[str], reason: str = "") -> Edit:
        """What silences codes on a line that can bear a comment."""
        listed = ", ".join(codes)
        if present := self._present(line):
            end = present.words[-1].span.end_column
            return Edit(Span(None, line, end, line, end), f", {listed}")
        end = len(self.lines[line - 1].rstrip()) + 1
        why = f" {reason}" if reason else ""
        return Edit(Span(None, line, end, line, end), f"  # devlint: ignore[{listed}]{why}")

    def _present(self, line: int) -> Suppression | None:
        """A comment of this form that names others already."""
        comments = self._comments.get(line, ())
        found = (each for comment in comments for each in suppressions(comment))
        own = (each for each in found if not each.is_shared and each.line is not None)
        return next((each for each in own if each.words), None)


def removal(lines: Sequence[str], suppression: Suppression, word: Word | None) -> Patch:
    """What takes a word out of a comment, or the comment with its reason where it is the only one.

    What another tool reads in the same comment, behind a `#` of its own, stays.
    """
    if word is not None and len(suppression.words) > 1:
        return Patch(f"remove `{word.text}`", "safe", (without(suppression.words, word),))
    return Patch("remove the comment", "safe", (uncommented(lines, suppression),))


def without(words: Sequence[Word], word: Word) -> Edit:
    """The list with one word less; a comma goes with it."""
    index = words.index(word)
    if index:
        start, end = words[index - 1].span.end_column, word.span.end_column
    else:
        start, end = word.span.column, words[1].span.column
    return Edit(Span(None, word.span.line, start, word.span.line, end), "")


def uncommented(lines: Sequence[str], suppression: Suppression) -> Edit:
    number = suppression.span.line
    line, start = lines[number - 1], suppression.span.column - 1
    other = line.find("#", suppression.span.end_column - 1)
    if other >= 0:
        return Edit(Span(None, number, start + 1, number, other + 1), "")
    kept = line[:start].rstrip()
    if not kept and number < len(lines):
        return Edit(Span(None, number, 1, number + 1, 1), "")
    return Edit(Span(None, number, len(kept) + 1, number, len(line) + 1), "")
