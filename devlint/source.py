"""Source text: how bytes are decoded, and what a line is."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from functools import cache

from devlint.finding import Edit

#: Python's line ends; `str.splitlines` also splits at form feeds and more.
NEWLINE = re.compile(r"\r\n|\r|\n")


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


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap."""
    starts = [0, *(newline.end() for newline in NEWLINE.finditer(text))]
    parts: list[str] = []
    done = 0
    for edit in sorted(edits):
        start = starts[edit.span.line - 1] + edit.span.column - 1
        parts += text[done:start], edit.text
        done = starts[edit.span.end_line - 1] + edit.span.end_column - 1
    return "".join([*parts, text[done:]])


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
