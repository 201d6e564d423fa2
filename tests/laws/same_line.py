"""Statements put before others on their lines, so that every line keeps its number."""

from __future__ import annotations

from collections.abc import Mapping


def put_before(code: str, texts: Mapping[tuple[int, int], str]) -> str:
    """The code with each text at its line and its offset in bytes, as `ast` counts them."""
    lines = code.split("\n")
    for (row, offset), text in sorted(texts.items(), reverse=True):
        line = lines[row - 1].encode()
        lines[row - 1] = (line[:offset] + text.encode() + line[offset:]).decode()
    return "\n".join(lines)
