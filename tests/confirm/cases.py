"""Cases of `testdata/confirm`: small programs, and what becomes of them on CUDA.

A heading names a case, each `python` block below it is a program of its own, to which `torch`,
`nn` and `F` are known. Marks, at the end of a line:

    # raises: words    this line crashes with these words in the message
    # fails: words     an assertion fails there: the bug is silent
    # born             a tensor that is on the wrong device at the crash was made there

A program without `raises` or `fails` runs to its end. `# devices: 2` on a line of its own asks
for that many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "testdata" / "confirm"

_PART = re.compile(r"^#+ (?P<name>[^\n]+)$|^```python\n(?P<program>.*?)^```$", re.M | re.S)
_MARK = re.compile(r"# (raises|fails): (.+)$|# (born)$")
_DEVICES = re.compile(r"^# devices: (\d+)$", re.M)


@dataclass(frozen=True)
class Case:
    """`crash`: the line that crashes, from 1, or 0; `words`: of its message."""

    name: str
    program: str
    crash: int
    words: str
    is_silent: bool
    births: tuple[int, ...]
    devices: int


def cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.md")):
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
