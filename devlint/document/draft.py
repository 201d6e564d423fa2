"""Texts that are half typed, completed so that the rest of them parses."""

from __future__ import annotations

import ast
import re
import warnings

from devlint.text.source_text import NEWLINE, indent

#: More errors than this are no half-typed statement.
ROUNDS = 12
LACKS_BODY = re.compile(r"expected an indented block after .* on line (\d+)")
#: What stands alone on a line that no statement of this indentation leads to.
STRAY = ("unexpected indent", "unindent does not match")


def completed(text: str) -> tuple[str, frozenset[int]] | None:
    """A text that parses, and the lines that were changed for it; None where none is found.

    All lines keep their number, and those that are not changed their columns.
    """
    lines = NEWLINE.split(text)
    touched: set[int] = set()
    for _ in range(ROUNDS):
        error = syntax_error("\n".join(lines))
        if error is None:
            return ("\n".join(lines) if touched else text), frozenset(touched)
        number = wrong_line(lines, error)
        if number is None or lines[number - 1] == (mended := replacement(lines, number, error)):
            return None
        lines[number - 1] = mended
        touched.add(number)
    return None


def syntax_error(text: str) -> SyntaxError | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError):
            return SyntaxError("beyond what can be parsed")
    return None


def wrong_line(lines: list[str], error: SyntaxError) -> int | None:
    """The line to change, from 1: often an earlier one than where the parser gave up."""
    if header := LACKS_BODY.match(error.msg):
        return int(header[1])
    number = error.lineno
    if number is None or not 0 < number <= len(lines):
        return None
    if error.msg.startswith("expected 'except'"):
        return next((n for n in range(number, 0, -1) if lines[n - 1].strip() == "try:"), None)
    return number


def replacement(lines: list[str], number: int, error: SyntaxError) -> str:
    """What stands in for a line: nothing, a statement, or the head of the block below it."""
    line = lines[number - 1]
    if error.msg.startswith(STRAY):
        return ""
    if LACKS_BODY.match(error.msg) and "#" not in line:
        return f"{line} pass"
    below = next((each for each in lines[number:] if each.strip()), "")
    return indent(line) + ("if True:" if len(indent(below)) > len(indent(line)) else "pass")
