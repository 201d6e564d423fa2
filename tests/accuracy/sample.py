"""Samples of findings, and what readers say of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "testdata" / "accuracy"
#: From good to bad.
VERDICTS = ("true", "harmless", "false")
#: What devlint says of files, not of programs.
OWN = "DEV9"


@dataclass(frozen=True, slots=True)
class Study:
    """What is sampled: of the findings of one rule no more than `limit`, and of those that rest on
    one presumption, or are of low confidence, `more`; each was read by so many `readers`."""

    folder: Path
    limit: int
    more: int
    readers: int = 2

    @property
    def sample(self) -> Path:
        return self.folder / "sample.jsonl"

    @property
    def population(self) -> Path:
        return self.folder / "population.json"

    def packages(self) -> tuple[list[str], str]:
        """Those that are sampled, as `NAME==VERSION`, and the seed, empty where all is read."""
        lines = (self.folder / "packages.txt").read_text().splitlines()
        seeds = (line.rpartition(" ")[2] for line in lines if line.startswith("# seed:"))
        return [line for line in lines if not line.startswith("#")], next(seeds, "")


FIRST = Study(FOLDER, 30, 40)
#: After what the first one showed was mended.
SECOND = Study(FOLDER / "second", 15, 0)
#: On yet other code, by one reader.
THIRD = Study(FOLDER / "third", 45, 0, readers=1)
#: Repositories of research and teaching, of which less is published than used.
FOURTH = Study(FOLDER / "fourth", 40, 0)
#: Other repositories, after what strangers' programs showed was mended.
FIFTH = Study(FOLDER / "fifth", 40, 0)
#: And after what that one showed was.
SIXTH = Study(FOLDER / "sixth", 20, 0)
#: And once more, with what is presumed.
SEVENTH = Study(FOLDER / "seventh", 20, 20)
#: As the first, after what all of them showed was mended.
EIGHTH = Study(FOLDER / "eighth", 30, 10)
#: And after what that one showed was.
NINTH = Study(FOLDER / "ninth", 30, 10)
#: And once more.
TENTH = Study(FOLDER / "tenth", 30, 10)
#: And again, of what is shown, since what is harmless as a rule has low confidence.
ELEVENTH = Study(FOLDER / "eleventh", 30, 0)
#: And after what programs written to mislead showed was mended.
TWELFTH = Study(FOLDER / "twelfth", 30, 0)
#: And after what that one showed was.
THIRTEENTH = Study(FOLDER / "thirteenth", 30, 0)
#: And after what that one showed was, of smaller repositories.
FOURTEENTH = Study(FOLDER / "fourteenth", 30, 0)
#: And after what that one and two hundred bugs of strangers showed was.
FIFTEENTH = Study(FOLDER / "fifteenth", 30, 0)
#: And after what that one and a third hundred of such bugs showed was.
SIXTEENTH = Study(FOLDER / "sixteenth", 30, 0)
#: And after what that one and a fourth hundred showed was.
SEVENTEENTH = Study(FOLDER / "seventeenth", 30, 0)
#: And after what that one and a fifth hundred showed was.
EIGHTEENTH = Study(FOLDER / "eighteenth", 30, 0)
#: And after what that one and a sixth hundred showed was.
NINETEENTH = Study(FOLDER / "nineteenth", 30, 0)
#: All errors that a scan of wheels has found. Some were read before, and rules mended by them: it
#: tells what is left, and not how often devlint is right.
WHEELS = Study(FOLDER / "wheels", 0, 0, readers=1)
#: By the names of their folders; the first has none of its own.
STUDIES = {
    each.folder.name: each
    for each in (
        FIRST,
        SECOND,
        THIRD,
        FOURTH,
        FIFTH,
        SIXTH,
        SEVENTH,
        EIGHTH,
        NINTH,
        TENTH,
        ELEVENTH,
        TWELFTH,
        THIRTEENTH,
        FOURTEENTH,
        FIFTEENTH,
        SIXTEENTH,
        SEVENTEENTH,
        EIGHTEENTH,
        NINETEENTH,
    )
}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A finding of a package; `verdicts` are those of the readers, `why` tells at least why it is
    false."""

    package: str
    path: str
    line: int
    cell: int | None
    code: str
    severity: str
    confidence: str
    presumed: tuple[str, ...]
    message: str
    verdicts: tuple[str, ...] = ()
    why: str = ""

    @property
    def verdict(self) -> str:
        """The lower one."""
        return max(self.verdicts, key=VERDICTS.index)


def unread(one: Drawn) -> Drawn:
    """A finding as it was drawn."""
    return replace(one, verdicts=(), why="")


def findings(items: Iterable[dict[str, Any]]) -> Iterator[Drawn]:
    """The findings of a report in JSON, without those of devlint about files."""
    for item in items:
        folder, _, path = item["path"].removeprefix("./").partition("/")
        if not item["code"].startswith(OWN):
            yield Drawn(
                spelled(folder),
                path,
                item["line"],
                item["cell"],
                item["code"],
                item["severity"],
                item["confidence"],
                tuple(each["name"] for each in item["presumed"]),
                item["message"],
            )


def spelled(folder: str) -> str:
    """`NAME==VERSION`, or `OWNER/NAME` of a repository in `OWNER+NAME`."""
    return folder.replace("+", "/") if "+" in folder else re.sub(r"-(?=\d[^-]*$)", "==", folder)


def drawn(found: Iterable[Drawn], seed: str, study: Study = FIRST) -> list[Drawn]:
    """All findings of rare rules, and some of each other one; then more, so that each presumption
    has enough, and low confidence."""
    ordered = sorted(dict.fromkeys(found), key=lambda one: ticket(one, seed))
    shown = [each for each in ordered if each.confidence != "low"]
    sample: dict[Drawn, None] = {}
    for code in sorted({each.code for each in shown}):
        sample |= dict.fromkeys([each for each in shown if each.code == code][: study.limit])
    for name in sorted({name for each in ordered for name in each.presumed}):
        sample |= dict.fromkeys([each for each in ordered if name in each.presumed][: study.more])
    low = [each for each in ordered if each.confidence == "low"]
    return list(sample | dict.fromkeys(low[: study.more]))


def ticket(one: Drawn, seed: str) -> str:
    text = f"{seed} {one.package} {one.path} {one.cell} {one.line} {one.code} {one.message}"
    return hashlib.sha256(text.encode()).hexdigest()


def read(path: Path) -> list[Drawn]:
    return [parsed(json.loads(line)) for line in path.read_text().splitlines()]


def parsed(fields: dict[str, Any]) -> Drawn:
    tuples = {name: tuple(fields[name]) for name in ("presumed", "verdicts")}
    return Drawn(**{**fields, **tuples})


def write(path: Path, sample: Iterable[Drawn]) -> None:
    path.write_text("".join(json.dumps(asdict(each)) + "\n" for each in sample))


def take(study: Study, sample: Iterable[Drawn]) -> None:
    """Write the sample of a study. What has been read keeps its verdicts."""
    before = read(study.sample) if study.sample.exists() else []
    labelled = {unread(each): each for each in before}
    write(study.sample, [labelled.get(each, each) for each in sample])
