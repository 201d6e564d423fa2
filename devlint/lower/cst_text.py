"""What adjacent strings, f-strings and template strings of LibCST are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from devlint.lower.cst_token import string_value
from devlint.lower.lowered import plain


def adjacent(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The strings that one is made of."""
    parts: list[cst.BaseExpression] = []
    while isinstance(node, cst.ConcatenatedString):
        parts.append(node.left)
        node = node.right
    return [*parts, node]


def pieces(parts: Sequence[cst.CSTNode]) -> tuple[str | None, ...]:
    """The texts between the fields of adjacent strings, as `ir.Text` has them."""
    texts, are_whole = [""], [True]
    for part in parts:
        if isinstance(part, cst.SimpleString):
            texts[-1] += str(string_value(part))
        for piece in getattr(part, "parts", ()):
            if isinstance(piece, cst.FormattedStringText | cst.TemplatedStringText):
                texts[-1] += piece.value
                continue
            if piece.equal is not None:
                texts[-1] += "="  # `{x=}` writes out `x=`: that is text, and not plain.
            texts.append("")
            changes = (piece.equal, piece.conversion, piece.format_spec)
            are_whole.append(all(each is None for each in changes))
    found = zip(texts, are_whole, strict=True)
    return tuple([plain(text) if whole else None for text, whole in found])


def replacement_fields(node: Any) -> Iterator[cst.BaseExpression]:
    """What a string holds in braces, and then what the format of that does."""
    for part in getattr(node, "parts", ()):
        yield from _field(part)


def _field(part: Any) -> Iterator[cst.BaseExpression]:
    if isinstance(part, cst.FormattedStringExpression | cst.TemplatedStringExpression):
        yield part.expression
        for inner in part.format_spec or ():
            yield from _field(inner)
