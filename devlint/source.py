"""Source text: how bytes are decoded, what a line is, and which findings comments suppress."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from devlint.finding import Finding

#: Python's line ends; `str.splitlines` also splits at form feeds and more.
NEWLINE = re.compile(r"\r\n|\r|\n")
#: Only a text with one of these words is worth tokenizing.
MENTION = re.compile(r"noqa|devlint:", re.I)
NOQA = re.compile(
    r"#\s*noqa(?![\w-])(?:\s*(?P<colon>:)\s*(?P<codes>[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*)?)?", re.I
)
IGNORE = re.compile(
    r"#\s*devlint:\s*ignore(?P<file>-file)?(?:\[(?P<codes>[^\]]+)\])?(?![\w\[-])", re.I
)
#: Tokens that belong to no statement.
BLANK = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class UndecodableError(Exception):
    """The bytes are not Python source text; the message says why."""


def decode(data: bytes) -> str:
    """The text of a source file, by its byte order mark, its coding comment or as UTF-8."""
    try:
        text = data.decode(encoding_of(data))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"not valid {error.encoding}: {error.reason}, line {line}"
        raise UndecodableError(reason) from error
    if "\0" in text:
        raise UndecodableError("source code cannot contain null bytes")
    return text


def encoding_of(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        # Also raised for first lines that are not UTF-8, of which decoding says more.
        if "missing" in str(error):
            return "utf-8"
        raise UndecodableError(str(error)) from error


@cache
def lines_of(path: str) -> Sequence[str]:
    """The lines of a file, for showing: none when it cannot be read, bad bytes replaced."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return ()
    try:
        text = decode(content)
    except UndecodableError:
        text = content.decode(errors="replace")
    return NEWLINE.split(text)


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that silences `words` (codes and names in upper case), or all when empty."""

    line: int | None
    words: frozenset[str]

    def covers(self, finding: Finding) -> bool:
        return not self.words or not self.words.isdisjoint(
            (finding.code.upper(), finding.name.upper())
        )


class Suppressions:
    """The suppressions of one text."""

    def __init__(self, text: str) -> None:
        self._text = text if MENTION.search(text) else ""

    @cached_property
    def is_whole_file(self) -> bool:
        return any(each.line is None and not each.words for each in self._all)

    def cover(self, finding: Finding) -> bool:
        """Whether a comment on the finding's line, or where its statement starts or ends, or for
        the whole file, silences it."""
        line = finding.span.line
        places = {None, line, *self._tokens.statements.get(line, ())}
        return any(each.line in places and each.covers(finding) for each in self._all)

    @cached_property
    def _tokens(self) -> Tokens:
        return Tokens(NEWLINE.sub("\n", self._text))

    @cached_property
    def _all(self) -> tuple[Suppression, ...]:
        return tuple(
            suppression
            for line, comment, is_alone in self._tokens.comments
            for suppression in suppressions(line, comment, is_alone=is_alone)
        )


def suppressions(line: int, comment: str, *, is_alone: bool) -> Iterator[Suppression]:
    """`ignore-file` counts on a line of its own only: behind code it would silence too much."""
    noqa = NOQA.search(comment)
    # A colon without a code after it silences nothing, as in ruff.
    if noqa and (noqa["codes"] or not noqa["colon"]):
        yield Suppression(line, words(noqa["codes"]))
    ignore = IGNORE.search(comment)
    if ignore and (is_alone or not ignore["file"]):
        yield Suppression(None if ignore["file"] else line, words(ignore["codes"]))


def words(codes: str | None) -> frozenset[str]:
    return frozenset(re.split(r"[,\s]+", codes.strip().upper())) if codes else frozenset()


class Tokens:
    """The comments of a text by line, and the first and last line of each line's statement.

    A text that tokenize refuses (syntax newer than the running Python) is read line by line.
    """

    def __init__(self, text: str) -> None:
        #: Line, text, and whether nothing else stands on the line.
        self.comments: list[tuple[int, str, bool]] = []
        self.statements: dict[int, tuple[int, int]] = {}
        try:
            self._read(text)
        except (tokenize.TokenError, SyntaxError):
            self.comments = [
                (number, line, line.lstrip().startswith("#"))
                for number, line in enumerate(text.split("\n"), 1)
                if "#" in line
            ]
            self.statements = {}

    def _read(self, text: str) -> None:
        first: int | None = None
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                is_alone = not token.line[: token.start[1]].strip()
                self.comments.append((token.start[0], token.string, is_alone))
            elif token.type == tokenize.NEWLINE:
                ends = first or token.start[0], token.start[0]
                self.statements |= dict.fromkeys(range(ends[0], ends[1] + 1), ends)
                first = None
            elif token.type not in BLANK:
                first = first or token.start[0]
