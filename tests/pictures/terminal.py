"""The picture of the README: what a terminal shows."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from tests.documents import Block, arguments, blocks
from tests.pictures.svg import MARGIN, drawing

#: In characters, and what one takes in pixels.
COLUMNS, WIDTH, HEIGHT = 100, 8.4, 20
CODE = re.compile(r"\x1b\[([\d;]*)m")
#: The classes of what `devlint.report.colour` paints.
CLASSES = {"1": "bold", "2": "faint", "31": "red", "33": "yellow", "34": "blue"}

#: A character, and the classes that it has.
Cell = tuple[str, str]


def picture() -> str:
    """That of the first command of the README that shows what it prints."""
    program, shown = (first(language) for language in ("python", "console"))
    command = shown.text.partition("\n")[0]
    with tempfile.TemporaryDirectory() as folder:
        assert program.file is not None
        Path(folder, program.file).write_text(program.text, encoding="utf-8")
        printed = output(arguments(command.removeprefix("$ ")), folder)
    lines = [f"\x1b[2m$\x1b[0m {command.removeprefix('$ ')}", *printed.rstrip("\n").split("\n")]
    return svg([part for line in lines for part in wrapped(cells(line))])


def first(language: str) -> Block:
    return next(each for each in blocks(language) if each.document == "README.md")


def output(words: Sequence[str], folder: str) -> str:
    options = ["--color", "always", "--isolated", "--no-cache"]
    command = [sys.executable, "-m", "devlint", "check", *options, *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", check=False
    ).stdout


def cells(line: str) -> list[Cell]:
    text, *painted = CODE.split(line)
    found = [(each, "") for each in text]
    for codes, part in zip(painted[::2], painted[1::2], strict=True):
        names = " ".join(CLASSES[code] for code in codes.split(";") if code in CLASSES)
        found += [(each, names) for each in part]
    return found


def wrapped(line: list[Cell]) -> Iterator[list[Cell]]:
    """The line in parts that fit, each of which ends with a word."""
    while len(line) > COLUMNS:
        spaces = (n for n in range(COLUMNS, 0, -1) if line[n][0] == " ")
        end = next(spaces, COLUMNS)
        yield line[:end]
        line = line[end:] if line[end][0] != " " else line[end + 1 :]
    yield line


def svg(lines: Sequence[list[Cell]]) -> str:
    width = round(2 * MARGIN + COLUMNS * WIDTH)
    height = 2 * MARGIN + len(lines) * HEIGHT
    drawn = (text for row, line in enumerate(lines) for text in texts(line, row))
    return drawing("What devlint prints of a program with a bug", (width, height), drawn)


def texts(line: list[Cell], row: int) -> Iterator[str]:
    """The parts of a line that look alike, each as wide as it would be in a terminal, whatever
    the font."""
    y = MARGIN + row * HEIGHT + 14
    column = 0
    for names, group in groupby(line, lambda each: each[1]):
        whole = "".join(each for each, _ in group)
        text = whole.strip()
        start = column + len(whole) - len(whole.lstrip())
        x, length = round(MARGIN + start * WIDTH, 1), round(len(text) * WIDTH, 1)
        painted = f' class="{names}"' if names else ""
        if text:
            yield f'<text{painted} x="{x}" y="{y}" textLength="{length}">{escape(text)}</text>'
        column += len(whole)
