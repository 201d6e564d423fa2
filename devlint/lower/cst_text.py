"""What adjacent strings, f-strings and template strings of LibCST are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from devlint.lower.cst_token import string_value
from devlint.lower.lowered import plain_start


def adjacent(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The strings that one is made of."""
    parts: list[cst.BaseExpression] = []
    while isinstance(node, cst.ConcatenatedString):
        parts.append(node.left)
        node = node.right
    return [*parts, node]


def start(parts: Sequence[cst.CSTNode]) -> str:
    """The text before the first field of adjacent strings; with an escape in it, or `=`, none."""
    text = ""
    for part in parts:
        if isinstance(part, cst.SimpleString):
            text += str(string_value(part))
            continue
        for piece in getattr(part, "parts", ()):
            if not isinstance(piece, cst.FormattedStringText | cst.TemplatedStringText):
                # `{x=}` writes out `x=`: that is text, and not plain.
                return "" if piece.equal is not None else plain_start(text)
            text += piece.value
    return plain_start(text)


def replacement_fields(node: Any) -> Iterator[cst.BaseExpression]:
    """What a string holds in braces, and then what the format of that does."""
    for part in getattr(node, "parts", ()):
        yield from _field(part)


def _field(part: Any) -> Iterator[cst.BaseExpression]:
    if isinstance(part, cst.FormattedStringExpression | cst.TemplatedStringExpression):
        yield part.expression
        for inner in part.format_spec or ():
            yield from _field(inner)
