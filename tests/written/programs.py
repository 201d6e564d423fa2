"""The programs of testdata/written, broken and mended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import restore
from pathlib import Path

from devlint.finding import Finding
from devlint.testing.project_spec import found_in, name_of
from tests.default_findings import RULES, shown, told

FOLDER = Path(__file__).parent.parent.parent / "testdata" / "written"
PART = re.compile(
    r"^`(?P<path>[^`\n]+)`\n\n```(?P<kind>python|diff)\n(?P<text>.*?)^```$", re.M | re.S
)
PLACE = re.compile(r"^- (?P<path>[\w./-]+):(?P<line>\d+)$", re.M)


@dataclass(frozen=True, slots=True)
class Program:
    """`broken` and `mended` are its files by their names, `places` the lines that lead to what
    raises, or that the change mends."""

    name: str
    broken: Mapping[str, str]
    mended: Mapping[str, str]
    places: frozenset[tuple[str, int]]

    @property
    def found_by(self) -> str:
        """What it takes for something to be said of a line that matters: `default`, `low`
        confidence, or, empty, more than there is."""
        every = found_in(self.broken, RULES)
        here = [each for each in every if not lines(each).isdisjoint(self.places)]
        return "default" if shown(here) else "low" if here else ""

    @property
    def alarms(self) -> list[Finding]:
        """What is said by default of the mended program."""
        return told(self.mended)


def lines(finding: Finding) -> set[tuple[str, int]]:
    """All that a finding points at."""
    places = [(each.path, each.span) for each in finding.related]
    return {
        (name_of(path), line)
        for path, span in ((finding.path, finding.span), *places)
        for line in range(span.line, span.end_line + 1)
    }


def programs() -> Iterator[Program]:
    for page in sorted(FOLDER.glob("*/*.md")):
        yield read(page)


def read(page: Path) -> Program:
    text = page.read_text()
    broken: dict[str, str] = {}
    mended: dict[str, str] = {}
    places = {(each["path"], int(each["line"])) for each in PLACE.finditer(text)}
    for part in PART.finditer(text):
        path, content = part["path"], part["text"]
        if part["kind"] == "python":
            broken[path] = mended[path] = content
            continue
        delta = content.splitlines(keepends=True)
        broken[path], mended[path] = "".join(restore(delta, 1)), "".join(restore(delta, 2))
        places |= {(path, line) for line in changed(delta)}
    return Program(f"{page.parent.name}/{page.stem}", broken, mended, frozenset(places))


def changed(delta: list[str]) -> Iterator[int]:
    """The lines of the broken file that a change takes away, or before which it adds one."""
    line = 1
    for each in delta:
        if each[0] != " ":
            yield line
        line += each[0] != "+"
