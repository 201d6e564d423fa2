"""Cells of IPython as Python: the same lines and columns, without what Python does not parse."""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from devlint.document.magic import CELL_MAGIC, masked
from devlint.text.source_text import indent

#: What stands before the code of a line that was copied from a console.
PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)")
WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*", re.ASCII)
IMPORT = re.compile(r"(?:from|import)[ \t]")
#: The names that a line binds, as far as a text without syntax shows it.
BOUND = re.compile(
    r"[ \t]*(?:(?P<targets>[\w, ]+?)[ \t]*(?::[^=]+)?=(?!=)"
    r"|(?:async[ \t]+)?(?:def|class|for)[ \t]+(?P<name>\w+)|.*\b(?:as|import)[ \t]+(?P<alias>\w+))"
)
KEYWORDS = frozenset(("__debug__", *keyword.kwlist))


#: Where code is to be filled in, or written for Python 2: nobody needs to be told.
PLACEHOLDER = re.compile(r"=[ \t]*(?:#.*)?$|<[^<>=]+>")
KNOWN = ("expected an indented block", "Missing parentheses in call to")


class Refusal(NamedTuple):
    """Why a text is no Python, at a line and column of it."""

    line: int
    column: int
    message: str
    is_expected: bool = False


class Reading(NamedTuple):
    """A text as Python: what stands before each line, the lines, and the `text` of them.

    In the text what is shown is kept. A `refusal`, and the text is none of Python.
    """

    prefixes: Sequence[str]
    lines: Sequence[str]
    text: str
    refusal: Refusal | None = None


def read(source: str) -> Reading:
    """A cell, or a block of a document, as Python.

    Of what cannot be parsed its imports stay, and a call that may do anything with its names.
    """
    lines = source.split("\n")
    prefixes: Sequence[str] = [""] * len(lines)
    found = parsed(lines)
    if isinstance(found, Refusal):
        prefixes = prefixes_of(lines)
        lines = masked(without(lines, prefixes), is_python)
        found = parsed(lines)
    if isinstance(found, Refusal):
        lines = opaque(lines)
        return Reading(prefixes, lines, "\n".join(lines), found)
    shown = found.body if is_console(prefixes) else found.body[-1:]
    return Reading(prefixes, lines, "\n".join(kept(lines, shown)))


def parsed(lines: Sequence[str]) -> ast.Module | Refusal:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse("\n".join(lines))
        except SyntaxError as error:
            line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
            is_expected = error.msg.startswith(KNOWN) or is_left_open(lines, line)
            return Refusal(line, column, error.msg, is_expected)
        except (ValueError, RecursionError, MemoryError):
            return Refusal(1, 1, "no text that Python can parse")


def is_left_open(lines: Sequence[str], number: int) -> bool:
    """Whether a line has a gap to be filled in, or the text is that of a magic."""
    is_magic = any(CELL_MAGIC.match(line) for line in lines)
    return is_magic or any(map(PLACEHOLDER.search, lines[number - 1 : number]))


def is_python(text: str) -> bool:
    return not isinstance(parsed([text]), Refusal)


def prefixes_of(lines: Sequence[str]) -> Sequence[str]:
    """The prompts of lines from a console, or else the indentation that the first line has."""
    first = next((line for line in lines if line.strip()), "")
    if first.startswith(">>> "):
        return [found[0] if (found := PROMPT.match(line)) else "" for line in lines]
    before = indent(first)
    return [before if line.startswith(before) else "" for line in lines]


def is_console(prefixes: Sequence[str]) -> bool:
    return any(prefix.strip() for prefix in prefixes)


def without(lines: Sequence[str], prefixes: Sequence[str]) -> list[str]:
    """The lines behind their prefixes; between prompts stands what the console printed."""
    are_typed = is_console(prefixes)
    return [
        "" if are_typed and not prefix else line[len(prefix) :]
        for line, prefix in zip(lines, prefixes, strict=True)
    ]


def opaque(lines: Sequence[str]) -> list[str]:
    """The imports of a text, and a call out of view that gets its names and gives what it binds."""
    made = [line if IMPORT.match(line) and is_python(line) else "" for line in lines]
    rest = [line for line, kept in zip(lines, made, strict=True) if not kept]
    bound = dict.fromkeys(name for line in rest for name in bound_by(line))
    handed = dict.fromkeys(name for name in names("\n".join(rest)))
    call = f"get_ipython()({', '.join(handed)})"
    made[made.index("")] = " = ".join([*bound, call])
    return made


def bound_by(line: str) -> Iterator[str]:
    found = BOUND.match(line)
    return names(" ".join(filter(None, found.groups()))) if found else iter(())


def names(text: str) -> Iterator[str]:
    return (word for word in WORD.findall(text) if word not in KEYWORDS)


def kept(lines: Sequence[str], shown: Iterable[ast.stmt]) -> list[str]:
    """The calls whose value is shown, not thrown away, are kept: each as the item of a tuple."""
    made = [*lines]
    for statement in shown:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            assert call.end_lineno is not None
            line = lines[call.end_lineno - 1]
            column = len(line.encode()[: call.end_col_offset].decode())
            # With a semicolon nothing is shown.
            if not line[column : column + 1].strip():
                made[call.end_lineno - 1] = f"{line[:column]},{line[column + 1 :]}"
    return made
