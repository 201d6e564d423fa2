"""What of the text of a module can matter to others: all but comments and empty lines."""

from __future__ import annotations

import re

from devlint.cache.store import digest

#: Strings, which are kept, or what is left out: empty lines, comments and spaces before them.
PART = re.compile(
    rb'''("""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|'''
    rb"""'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''|"""
    rb""""[^"\\\n]*(?:\\.[^"\\\n]*)*"|"""
    rb"""'[^'\\\n]*(?:\\.[^'\\\n]*)*')|"""
    rb"""(?<!\\)(?:\n[ \t]*(?:\#[^\n]*)?)+(?=\n|\Z)|[ \t]*\#[^\n]*""",
    re.S | re.X,
)
#: Where comments mean something, or cannot be told from strings without a parser: cells, encodings,
#: what f-strings hold, old ends of lines.
PARSER_NEEDED = re.compile(rb"""%%|coding[:=]|\b[rR]?[fFtT][rR]?(?:"{3}|'{3})|\r""")


def interface(data: bytes) -> str:
    """A digest that is the same for two texts of a module that others cannot tell apart."""
    text = data.replace(b"\r\n", b"\n")
    if PARSER_NEEDED.search(text):
        return digest(data)
    return digest(PART.sub(rb"\1", b"\n" + text.rstrip()))
