"""Texts that a program puts together from others that are known."""

from __future__ import annotations

from collections.abc import Sequence

from devlint.values.value import Kind, Value

#: Longer texts name nothing; a loop that doubles one is not followed.
LONGEST = 200


def written(pieces: Sequence[str | None], fields: Sequence[Value]) -> Value | None:
    """The text of an f-string: pieces with fields between them; None where one is not known."""
    known = [text_of(field) for field in fields]
    if len(pieces) != len(fields) + 1 or None in pieces or None in known:
        return None
    text = "".join(f"{piece}{field}" for piece, field in zip(pieces, [*known, ""], strict=True))
    return Value(Kind.CONSTANT, payload=text) if len(text) <= LONGEST else None


def text_of(field: Value) -> str | None:
    """How a text or an integer is written out."""
    is_known = field.kind is Kind.CONSTANT and isinstance(field.payload, (str, int))
    return str(field.payload) if is_known else None


def added(one: Value, other: Value) -> Value | None:
    """`one + other`"""
    are_texts = isinstance(one.payload, str) and isinstance(other.payload, str)
    return written(("", "", ""), (one, other)) if are_texts else None


def interpolated(template: str, fields: Sequence[Value]) -> Value | None:
    """`template % fields`"""
    first, *rest = template.split("%")
    if any(piece[:1] not in ("s", "d") for piece in rest):
        return None
    return written((first, *(piece[1:] for piece in rest)), fields)


def formatted(template: str, fields: Sequence[Value]) -> Value | None:
    """`template.format(*fields)`"""
    pieces = template.split("{}")
    is_open = any(brace in piece for piece in pieces for brace in "{}")
    return None if is_open else written(pieces, fields)
