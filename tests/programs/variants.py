"""Programs that users could have written, clean and with bugs; README.md says what marks mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

BUGS = 1, 2
#: Programs that need nothing but PyTorch, and those that need more.
TORCH_ALONE = Path(__file__).parents[2] / "testdata" / "programs"
OF_LIBRARIES = TORCH_ALONE / "libraries"

_REPLACED = re.compile(r"^( *)# bug (\d): (.*)$")
_MARK = re.compile(r"# ((?:(?:crash|born) \d(?:, )?)+)$")


@dataclass(frozen=True, slots=True)
class Variant:
    """`bug`: 0 in the clean program. `crash`: the line that crashes, from 1, or 0."""

    name: str
    bug: int
    text: str
    crash: int
    births: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}, bug {self.bug}" if self.bug else self.name


def programs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py"))


def variants(path: Path) -> Iterator[Variant]:
    lines = path.read_text(encoding="utf-8").splitlines()
    for bug in (0, *BUGS):
        written = _written(lines, bug)
        crash = [*_marked(written, f"crash {bug}"), 0][0]
        births = tuple(_marked(written, f"born {bug}"))
        yield Variant(path.stem, bug, "\n".join(written) + "\n", crash, births)


def _written(lines: Iterable[str], bug: int) -> list[str]:
    """The lines of the variant, each where it was."""
    kept: list[str] = []
    code = 0
    for line in lines:
        replaced = _REPLACED.match(line)
        if replaced is None:
            code = len(kept)
        elif int(replaced[2]) == bug:
            kept[code] = replaced[1] + replaced[3]
        kept.append(line)
    return kept


def _marked(lines: Iterable[str], word: str) -> Iterator[int]:
    for number, line in enumerate(lines, 1):
        mark = _MARK.search(line)
        if mark and not _REPLACED.match(line) and word in mark[1].split(", "):
            yield number
