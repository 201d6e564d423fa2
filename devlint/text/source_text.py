"""Source text: how bytes are decoded, and what a line is."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from codecs import BOM_UTF8
from collections.abc import Iterable

from devlint.finding import Edit

#: Python's line ends; `str.splitlines` also splits at form feeds and more.
NEWLINE = re.compile(r"\r\n|\r|\n")
LINE_END = re.compile(rb"\r\n|\r|\n")


class UndecodableError(Exception):
    """The bytes are not Python source text; the message says why."""


class UnwritableError(Exception):
    """A text cannot be written back to its file; the message says why."""


def decode(data: bytes) -> str:
    """The text of a source file, by its byte order mark, its coding comment or as UTF-8."""
    encoding = encoding_of(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"not valid {error.encoding}: {error.reason}, line {line}"
        raise UndecodableError(reason) from error
    if "\0" in text:
        raise UndecodableError("source code cannot contain null bytes")
    return text


def encoding_of(data: bytes) -> str:
    try:
        # The only ones that count, which `readline` would not tell apart by a carriage return.
        first = b"\n".join(LINE_END.split(data, maxsplit=2)[:2])
        encoding = tokenize.detect_encoding(io.BytesIO(first).readline)[0]
    except SyntaxError as error:
        # Also raised for first lines that are not UTF-8, of which decoding says more.
        if "missing" in str(error):
            return "utf-8"
        raise UndecodableError(str(error)) from error
    if not is_of_text(encoding):
        raise UndecodableError(f"{encoding} is no encoding of text")
    return encoding


def is_of_text(encoding: str) -> bool:
    """Whether a codec, which there is, encodes texts: not bytes, as `hex`, nor names of domains,
    which takes quadratic time."""
    codec = codecs.lookup(encoding)
    return codec._is_text_encoding and codec.name not in ("idna", "punycode", "undefined")


def encode(text: str, data: bytes) -> bytes:
    """A text in the encoding of the file that had `data`; whatever it left unchanged is so in the
    bytes."""
    encoding = encoding_of(data)
    try:
        # Some encodings have several spellings of a character, of which only one comes back.
        if decode(data).encode(encoding) != data:
            raise UnwritableError(f"{encoding} has more than one way to write this file")
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.end]
        raise UnwritableError(f"`{wrong}` cannot be written in {error.encoding}") from error


def encode_utf8(text: str, data: bytes) -> bytes:
    """A text in UTF-8, behind a byte order mark if `data` has one."""
    return (BOM_UTF8 if data.startswith(BOM_UTF8) else b"") + text.encode()


def newline_of(text: str) -> str:
    """The first line end of a text."""
    found = NEWLINE.search(text)
    return found[0] if found else "\n"


def line_starts(text: str) -> list[int]:
    """Where each line begins."""
    return [0, *(newline.end() for newline in NEWLINE.finditer(text))]


def indent(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap."""
    starts = line_starts(text)
    parts: list[str] = []
    done = 0
    for edit in sorted(edits):
        start = starts[edit.span.line - 1] + edit.span.column - 1
        parts += text[done:start], edit.text
        done = starts[edit.span.end_line - 1] + edit.span.end_column - 1
    return "".join([*parts, text[done:]])
