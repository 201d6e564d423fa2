"""What only IPython understands, as Python of the same lines and columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from devlint.text.source_text import indent

#: The magics of a cell that run its body as it stands, in the notebook.
TRANSPARENT = frozenset("capture debug memit mprun prun scalene snakeviz time timeit wandb".split())
#: Those whose body is of another language or runs elsewhere.
FOREIGN = frozenset(
    "! HTML R SVG appendfile bash bigquery cmd cpp cu cuda cython file html javascript js julia "
    "latex markdown octave perl powershell pypy python python2 python3 ruby script sh shell "
    "sparksql sql svg system sx typst writefile".split()
)
CELL_MAGIC = re.compile(r"[ \t]*%%(!|\w+)")
#: What a line starts with that runs its rest.
TIMED = re.compile(
    r"(?P<indent>[ \t]*)%(?P<magic>time|timeit)(?:[ \t]+-[a-z][ \t]?\d*(?=[ \t]))*[ \t]+(?=\S)"
)
#: Magics, shell commands, automatic calls and questions, at the start of a statement.
ESCAPE = re.compile(
    r"""[ \t]*(?:
      (?P<target> (?: [\w.,*\ ]|\[[^\]=%]*\] )+ =[ \t]* )? (?: !|%%?[A-Za-z] )
    | %[ \t]+[A-Za-z] | [/,;][A-Za-z_] | \?{1,2}[\w%*]
    | %{0,2}[\w.*\[\]'"]+\?{1,2}[ \t]*$
    )""",
    re.VERBOSE,
)
#: The commands that IPython takes for magics where Python would not understand the line.
AUTOMAGIC = re.compile(
    r"[ \t]*(?:autoreload|cat|cd|conda|cp|env|load_ext|ls|mamba|matplotlib|mkdir|mv|pip|rm|rmdir"
    r"|run)[ \t]+(?!(?:and|for|if|in|is|not|or)\b)[\w./~-]"
)
#: What decides where a statement ends.
TOKEN = re.compile(
    r"""
      \#[^\n]*
    | (?P<triple> \"{3}|'{3} ) (?: \\.|(?!(?P=triple)). )* (?: (?P=triple)|\Z )
    | (?P<quote> ["'] ) (?: \\.|(?!(?P=quote))[^\n\\] )* (?P=quote)?
    | (?P<open> [(\[{] )
    | (?P<close> [)\]}] )
    | \\\n
    | (?P<end> \n )
    """,
    re.VERBOSE | re.DOTALL,
)
UNKNOWN = "get_ipython()"


def masked(lines: Sequence[str], is_python: Callable[[str], bool]) -> list[str]:
    """The lines without what only IPython understands."""
    start = next((n for n, line in enumerate(lines) if is_code(line)), len(lines))
    magic = CELL_MAGIC.match(lines[start]) if start < len(lines) else None
    if magic is None:
        return [*lines[:start], *statements(lines[start:], is_python)]
    body = lines[start + 1 :]
    if magic[1] in FOREIGN:
        return [""] * len(lines)
    if magic[1] in TRANSPARENT:
        return [*lines[:start], "", *masked(body, is_python)]
    # Python refuses the line, and the cell becomes what is known of no magic.
    return list(lines)


def is_code(line: str) -> bool:
    bare = line.strip()
    return bool(bare) and not bare.startswith("#")


def statements(lines: Sequence[str], is_python: Callable[[str], bool]) -> list[str]:
    made: list[str] = []
    while len(made) < len(lines):
        rest = lines[len(made) :]
        escape = ESCAPE.match(rest[0]) or AUTOMAGIC.match(rest[0])
        if escape is None:
            made += rest[: length(rest)]
        else:
            continued = next(n for n, line in enumerate([*rest, ""], 1) if line[-1:] != "\\")
            made += unescaped(rest[:continued], escape, is_python)
    return made


def length(lines: Sequence[str]) -> int:
    """How many lines the first statement has."""
    depth = number = 0
    for token in TOKEN.finditer("\n".join(lines)):
        number += token[0].count("\n")
        depth = max(depth + bool(token["open"]) - bool(token["close"]), 0)
        if token["end"] and not depth:
            return number
    return len(lines)


def unescaped(
    lines: Sequence[str], escape: re.Match[str], is_python: Callable[[str], bool]
) -> list[str]:
    """Python for the lines of an escape: a timed statement runs, of the rest nothing is known."""
    if timed := TIMED.match(lines[0]):
        width = len(timed[0]) - len(timed["indent"])
        # What a tuple holds is kept: the value of an expression is shown.
        for head in ("0,", "0;") if timed["magic"] == "time" else ("0,",):
            made = [head.ljust(width) + lines[0][timed.end() :], *lines[1:]]
            if is_python("\n".join(made)):
                return [timed["indent"] + made[0], *made[1:]]
    target = escape.groupdict().get("target") or ""
    return [f"{indent(lines[0])}{target.lstrip()}{UNKNOWN}", *[""] * (len(lines) - 1)]
