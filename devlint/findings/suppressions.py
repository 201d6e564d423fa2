"""Suppressions: the comments of a text that silence findings."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from devlint.finding import Finding, Span
from devlint.text.source_text import NEWLINE

#: Only a text with one of these is worth tokenizing.
MENTIONS = ("noqa", "devlint:")
WHOLE_FILE = re.compile(r"devlint:\s*ignore-file", re.I)
NOQA = re.compile(
    r"#\s*noqa(?![\w-])(?:\s*(?P<colon>:)\s*(?P<codes>[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*)?)?", re.I
)
IGNORE = re.compile(
    r"#\s*devlint:\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]]+)\])?(?![\w\[-])", re.I
)
SWITCH = re.compile(r"#\s*devlint:\s*(?P<verb>off|on)(?:\[(?P<codes>[^\]]+)\])?(?![\w\[-])", re.I)
WORD = re.compile(r"[^,\s]+")
#: Tokens that belong to no statement.
BLANK = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class Comment(NamedTuple):
    """A comment of a text; `is_alone`: nothing else stands on its line."""

    line: int
    column: int
    text: str
    is_alone: bool

    def span(self, start: int, end: int) -> Span:
        """The place of a part of the comment."""
        return Span(None, self.line, self.column + start, self.line, self.column + end)


@dataclass(frozen=True, slots=True)
class Word:
    """The code or name of a rule, as a comment has it."""

    text: str
    span: Span

    def names(self, finding: Finding) -> bool:
        return self.text.upper() in (finding.code.upper(), finding.name.upper())


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that silences `words`, or all when it has none; without a `line` in all the file,
    with a `last` one up to that.

    `is_shared`: in the form that other linters read as well.
    """

    line: int | None
    span: Span
    words: tuple[Word, ...]
    is_shared: bool
    last: int | None = None

    def reaches(self, line: int) -> bool:
        """Whether it silences some lines, of which this is one."""
        return self.line is not None and self.last is not None and self.line <= line <= self.last

    def names(self, finding: Finding) -> bool:
        return any(word.names(finding) for word in self.words)

    def is_like(self, other: Suppression) -> bool:
        """Whether another one has the same words."""
        return {each.text.upper() for each in self.words} == {
            each.text.upper() for each in other.words
        }


class Suppressions:
    """The suppressions of one text."""

    def __init__(self, text: str) -> None:
        lowered = text.lower()
        self.text = text if any(each in lowered for each in MENTIONS) else ""

    @property
    def is_whole_file(self) -> bool:
        if not WHOLE_FILE.search(self.text):
            return False
        return any(each.line is None and not each.words for each in self.all)

    @property
    def are_exact(self) -> bool:
        """Whether all of them are known to be comments."""
        return self._tokens.are_read

    def cover(self, finding: Finding) -> bool:
        """Whether one silences a finding, by name or with all others."""
        return any(not each.words or each.names(finding) for each in self.reaching(finding))

    def reaching(self, finding: Finding) -> Iterator[Suppression]:
        """Those on the finding's line, where its statement starts or ends, or for some lines with
        that, or for all the file."""
        line = finding.span.line
        for place in dict.fromkeys((None, line, *self._tokens.statements.get(line, ()))):
            yield from self._by_line.get(place, ())
        yield from (each for each in self.switched.off if each.reaches(line))

    @cached_property
    def lines(self) -> list[str]:
        """Those of the text."""
        return NEWLINE.split(self.text)

    @property
    def comments(self) -> Sequence[Comment]:
        return self._tokens.comments

    @property
    def all(self) -> Iterator[Suppression]:
        yield from self._by_comments
        yield from self.switched.off

    @cached_property
    def switched(self) -> Switched:
        return Switched.of(self.comments, len(self.lines))

    @cached_property
    def _by_comments(self) -> tuple[Suppression, ...]:
        return tuple(each for comment in self.comments for each in suppressions(comment))

    @cached_property
    def _by_line(self) -> dict[int | None, list[Suppression]]:
        found: dict[int | None, list[Suppression]] = {}
        for each in self._by_comments:
            found.setdefault(each.line, []).append(each)
        return found

    @cached_property
    def _tokens(self) -> Tokens:
        return Tokens(NEWLINE.sub("\n", self.text))


@dataclass(frozen=True, slots=True)
class Switched:
    """`off` silences some lines each; `loose` are those that switch on what was not off."""

    off: tuple[Suppression, ...]
    loose: tuple[Suppression, ...]

    @classmethod
    def of(cls, comments: Iterable[Comment], end: int) -> Switched:
        """By the comments of a text with so many lines; `off` counts up to an `on` of the same
        words, or of none."""
        off, loose, pending = list[Suppression](), list[Suppression](), list[Suppression]()
        for comment in comments:
            match = SWITCH.search(comment.text) if comment.is_alone else None
            if match is None:
                continue
            one = suppression(comment, match, comment.line, is_shared=False)
            if match["verb"].lower() == "off":
                pending.append(one)
                continue
            ended = [each for each in pending if not one.words or each.is_like(one)]
            if not ended:
                loose.append(one)
            off += (replace(each, last=comment.line) for each in ended)
            pending = [each for each in pending if each not in ended]
        off += (replace(each, last=end) for each in pending)
        return cls(tuple(off), tuple(loose))


def suppressions(comment: Comment) -> Iterator[Suppression]:
    """`ignore-file` counts on a line of its own only: behind code it would silence too much."""
    noqa = NOQA.search(comment.text)
    # A colon without a code after it silences nothing, as in ruff.
    if noqa and (noqa["codes"] or not noqa["colon"]):
        yield suppression(comment, noqa, comment.line, is_shared=True)
    ignore = IGNORE.search(comment.text)
    if ignore and (comment.is_alone or not ignore["file"]):
        line = None if ignore["file"] else comment.line
        yield suppression(comment, ignore, line, is_shared=False)


def suppression(
    comment: Comment, match: re.Match[str], line: int | None, *, is_shared: bool
) -> Suppression:
    start, end = match.span("codes")
    found = WORD.finditer(comment.text, start, end) if match["codes"] else ()
    words = tuple(Word(each[0], comment.span(*each.span())) for each in found)
    return Suppression(line, comment.span(*match.span()), words, is_shared)


class Tokens:
    """The comments of a text by line, and the first and last line of each line's statement.

    A text that tokenize refuses (syntax newer than the running Python) is read line by line.
    """

    def __init__(self, text: str) -> None:
        self.comments: list[Comment] = []
        self.statements: dict[int, tuple[int, int]] = {}
        #: Lines that a comment may follow: none follows a backslash, or stands in a string.
        self.open: set[int] = set()
        self.are_read = True
        try:
            self._read(text)
        except (tokenize.TokenError, SyntaxError):
            self.are_read = False
            self.comments = list(guessed(text))
            self.statements = {}

    def _read(self, text: str) -> None:
        first: int | None = None
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start
                is_alone = not token.line[:column].strip()
                self.comments.append(Comment(line, column + 1, token.string, is_alone))
            elif token.type == tokenize.NL:
                self.open.add(token.start[0])
            elif token.type == tokenize.NEWLINE:
                self.open.add(token.start[0])
                ends = first or token.start[0], token.start[0]
                self.statements |= dict.fromkeys(range(ends[0], ends[1] + 1), ends)
                first = None
            elif token.type not in BLANK:
                first = first or token.start[0]


def guessed(text: str) -> Iterator[Comment]:
    """What looks like a comment, line by line."""
    for number, line in enumerate(text.split("\n"), 1):
        if "#" in line:
            yield Comment(number, 1, line, line.lstrip().startswith("#"))
