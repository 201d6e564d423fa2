"""Cells of IPython as Python: the same lines and columns, without what Python does not parse."""

from __future__ import annotations

import ast
import re
import warnings

#: The magics of a cell that run its body as it stands, in the notebook.
TRANSPARENT = frozenset({"capture", "prun", "time", "timeit"})
TIMED = re.compile(r"(\s*)%time(\s+)(?=\S)")
#: What only IPython understands: magics, shell commands, automatic calls, questions.
ESCAPE = re.compile(
    r"\s*(?:(?P<target>[\w.,\[\]'\" ]+=\s*)?(?:!|%[A-Za-z])|[/,;][A-Za-z_])"
    r"|%\s+[A-Za-z]|\s*\?{1,2}[\w%*]|\s*%{0,2}[\w.*]+\?{1,2}\s*$"
)


def python(source: str) -> str:
    """A cell as Python with the same lines and columns; blank lines where it is none."""
    for text in (source, masked(source)):
        if (tree := parsed(text)) is not None:
            return kept(text, tree)
    return "\n" * source.count("\n")


def parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def masked(source: str) -> str:
    """A cell without what only IPython understands."""
    lines = source.split("\n")
    magic = re.match(r"\s*%%(\w*).*", source)
    if magic is not None:
        if magic[1] not in TRANSPARENT:
            return "\n" * (len(lines) - 1)
        lines[source.count("\n", 0, magic.end())] = ""
    is_continued = False
    for index, line in enumerate(lines):
        escape = ESCAPE.match(line)
        if is_continued or escape is not None:
            lines[index] = "" if is_continued or escape is None else without(line, escape)
            is_continued = line.rstrip().endswith("\\")
    return "\n".join(lines)


def without(line: str, escape: re.Match[str]) -> str:
    """A line of Python for one that starts with an escape, `%time` with the statement it runs."""
    if timed := TIMED.match(line):
        return f"{timed[1]}0;{' ' * (timed.end() - timed.end(1) - 2)}{line[timed.end() :]}"
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}{(escape['target'] or '').lstrip()}get_ipython()"


def kept(text: str, tree: ast.Module) -> str:
    """The notebook shows the value of a cell's last call: it is kept, as the item of a tuple."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Call):
        return text
    lines = text.split("\n")
    line = lines[last.value.end_lineno - 1]  # type: ignore[operator]
    column = len(line.encode()[: last.value.end_col_offset].decode())
    # With a semicolon nothing is shown.
    if line[column : column + 1].strip():
        return text
    lines[last.value.end_lineno - 1] = f"{line[:column]},{line[column + 1 :]}"  # type: ignore[operator]
    return "\n".join(lines)
