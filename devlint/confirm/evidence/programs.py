"""Small programs in Markdown, and what becomes of them on CUDA.

A heading names a program, each `python` block below it is one of its own, to which `torch`, `nn`
and `F` are known. Marks, at the end of a line:

    # raises: words    this line crashes with these words in the message
    # fails: words     an assertion fails there: the bug is silent
    # born             a tensor that is on the wrong device at the crash was made there

A program without `raises` or `fails` runs to its end. `# devices: 2` on a line of its own asks
for that many.
"""

from __future__ import annotations

import hashlib
import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb

import torch

#: What a program is written to, and named by.
FILE = "case.py"

_PART = re.compile(r"^#+ (?P<name>[^\n]+)$|^```python\n(?P<program>.*?)^```$", re.M | re.S)
_MARK = re.compile(r"# (raises|fails): (.+)$|# (born)$")
_DEVICES = re.compile(r"^# devices: (\d+)$", re.M)


@dataclass(frozen=True, slots=True)
class End:
    """`line`: the line that crashed, from 1, or 0 of a program that ran to its end."""

    line: int
    message: str
    is_silent: bool


@dataclass(frozen=True, slots=True)
class Case:
    """`crash`: the line that is to crash, from 1, or 0; `words`: of its message."""

    name: str
    program: str
    crash: int
    words: str
    is_silent: bool
    births: tuple[int, ...]
    devices: int

    def is_met(self, end: End) -> bool:
        """Whether the program ended as its marks say."""
        is_there = (end.line, end.is_silent) == (self.crash, self.is_silent)
        return is_there and self.words in end.message

    @property
    def digest(self) -> str:
        """Of the program itself, whatever its marks say."""
        lines = (_MARK.sub("", line).rstrip() for line in self.program.splitlines())
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    def run(self) -> End:
        """Run the program in this process and the working directory, where it is written to."""
        Path(FILE).write_text(self.program)  # TorchScript reads the source.
        linecache.checkcache()
        names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "__name__": "case"}
        try:
            exec(compile(self.program, FILE, "exec"), names)
        except Exception as error:
            frames = [each for each in extract_tb(error.__traceback__) if each.filename == FILE]
            line = (frames[-1].lineno or 0) if frames else 0
            return End(line, str(error), isinstance(error, AssertionError))
        return End(0, "", False)


def cases(folder: Path) -> Iterator[Case]:
    """Those of all Markdown files of a folder."""
    for path in sorted(folder.glob("*.md")):
        name, place = "", 0
        for part in _PART.finditer(path.read_text()):
            if part["name"]:
                name, place = part["name"], 0
            else:
                place += 1
                yield _case(f"{path.stem}: {name} ({place})", part["program"])


def _case(name: str, program: str) -> Case:
    crash, words, is_silent, births = 0, "", False, []
    for number, line in enumerate(program.splitlines(), 1):
        mark = _MARK.search(line)
        if mark and mark[3]:
            births.append(number)
        elif mark:
            crash, words, is_silent = number, mark[2], mark[1] == "fails"
    devices = _DEVICES.search(program)
    count = int(devices[1]) if devices else 1
    return Case(name, program, crash, words, is_silent, tuple(births), count)
