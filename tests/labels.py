"""Compares what devlint finds in code of others with the labels that people gave its findings.

Run as `python tests/labels.py PACKAGE==VERSION=FOLDER...` on unpacked wheels, and on checkouts of
git repositories as `OWNER/NAME@COMMIT=FOLDER`; `--below FOLDER` takes all that
`testdata/labelled.txt` lists, in folders named `PACKAGE-VERSION` and `OWNER+NAME`. Exits with 1 on
a finding without a label, or when too many are false.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
VERDICTS = ("true", "harmless", "false")
#: The share of false findings that is tolerated: of all, and of a rule with so many that it tells.
BAR = 0.05
RULE_BAR, TELLING = 0.1, 10
#: Of the findings of one rule in one release no more than so many are labelled.
SAMPLE = 60
LISTED = ROOT / "testdata" / "labelled.txt"
#: How many digits of a commit name a version.
DIGITS = 12
NAMED = re.compile(r"(?P<name>[\w.-]+==[\w.+-]+|[\w.-]+/[\w.-]+@[0-9a-f]{12,40})=(?P<folder>.+)")


class Place(NamedTuple):
    """`path` is relative to the folder of the release, `version` the start of a commit where
    `package` is a repository, `OWNER/NAME`; `cell` is None outside notebooks."""

    package: str
    version: str
    path: str
    line: int
    code: str
    cell: int | None = None

    def __str__(self) -> str:
        where = f"{self.path}:{'' if self.cell is None else f'cell {self.cell}:'}{self.line}"
        return f"{spelled(self.package, self.version)} {where} {self.code}"


def spelled(package: str, version: str) -> str:
    return f"{package}{'@' if '/' in package else '=='}{version}"


class Label(NamedTuple):
    place: Place
    verdict: str


@dataclass(slots=True)
class Comparison:
    """`counts` are the findings by code and by verdict, `unlabelled` being one."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    unlabelled: list[Place] = field(default_factory=list)
    stale: list[Label] = field(default_factory=list)

    def count(self, verdict: str) -> int:
        return sum(number for (_, each), number in self.counts.items() if each == verdict)

    @property
    def false_share(self) -> float:
        """Of the findings that have a label."""
        labelled = sum(map(self.count, VERDICTS))
        return self.count("false") / labelled if labelled else 0.0

    def is_precise(self, code: str) -> bool:
        """Whether few enough findings of a rule are false, or there are too few to tell."""
        labelled = sum(self.counts[code, verdict] for verdict in VERDICTS)
        return labelled < TELLING or self.counts[code, "false"] <= RULE_BAR * labelled

    @property
    def passes(self) -> bool:
        are_precise = all(self.is_precise(code) for code, _ in self.counts)
        return not self.unlabelled and self.false_share <= BAR and are_precise


def compare(findings: Iterable[Place], labels: Iterable[Label]) -> Comparison:
    """Each label answers for one finding: two findings at one place need two."""
    comparison = Comparison()
    open_labels: dict[Place, list[Label]] = {}
    for label in labels:
        open_labels.setdefault(label.place, []).append(label)
    for place in findings:
        fitting = open_labels.get(place)
        if fitting:
            comparison.counts[place.code, fitting.pop(0).verdict] += 1
        else:
            comparison.counts[place.code, "unlabelled"] += 1
            comparison.unlabelled.append(place)
    comparison.stale += (label for rest in open_labels.values() for label in rest)
    return comparison


def sampled(findings: Iterable[Place]) -> list[Place]:
    """All findings, or where a rule has too many, some that are drawn by their hashes: the same
    ones each time, and most of them still when others come or go."""
    by_code: dict[str, list[Place]] = {}
    for place in findings:
        by_code.setdefault(place.code, []).append(place)
    return [
        place
        for places in by_code.values()
        for place in (sorted(places, key=draw)[:SAMPLE] if len(places) > SAMPLE else places)
    ]


def draw(place: Place) -> bytes:
    return hashlib.sha256(str(place).encode()).digest()


def parsed(lines: Iterable[str]) -> Iterator[Label]:
    for number, line in enumerate(lines, 1):
        fields = json.loads(line)
        if fields["verdict"] not in VERDICTS or not fields["why"]:
            raise ValueError(f"label {number}: no reason, or no verdict of {', '.join(VERDICTS)}")
        named = {name: fields[name] for name in Place._fields if name != "cell"}
        yield Label(Place(**named, cell=fields.get("cell")), fields["verdict"])


class Release(NamedTuple):
    package: str
    version: str
    folder: Path

    @classmethod
    def named(cls, text: str) -> Release:
        """From `PACKAGE==VERSION=FOLDER` or `OWNER/NAME@COMMIT=FOLDER`."""
        found = NAMED.fullmatch(text)
        if not found or not Path(found["folder"] or "?").is_dir():
            forms = "PACKAGE==VERSION=FOLDER or OWNER/NAME@COMMIT=FOLDER"
            raise argparse.ArgumentTypeError(f"'{text}' is not {forms}")
        release = cls.spelled(found["name"], Path(found["folder"]))
        if "/" in release.package and not commit(release.folder).startswith(release.version):
            message = f"{release.folder} is not at {release.version}"
            raise argparse.ArgumentTypeError(message)
        return release

    @classmethod
    def spelled(cls, name: str, folder: Path) -> Release:
        """From `PACKAGE==VERSION` or `OWNER/NAME@COMMIT`."""
        package, version = re.split("==|@", name)
        return cls(package, version[:DIGITS] if "/" in package else version, folder.resolve())

    @classmethod
    def listed(cls, below: Path) -> list[Release]:
        """What the list of labelled releases names, in folders below one."""
        names = LISTED.read_text(encoding="utf-8").split()
        folders = [name.partition("@")[0].replace("/", "+").replace("==", "-") for name in names]
        return [
            cls.named(f"{name}={below / folder}")
            for name, folder in zip(names, folders, strict=True)
        ]

    def findings(self) -> Iterator[Place]:
        """What the installed command prints of the folder."""
        command = Path(sys.executable).with_name("devlint")
        options = ["--isolated", "--output-format", "json"]
        run = subprocess.run([command, "check", *options, self.folder], stdout=subprocess.PIPE)
        if run.returncode not in (0, 1):
            raise SystemExit(f"devlint could not check all of {self.folder}")
        for each in json.loads(run.stdout):
            path = Path(each["path"]).resolve().relative_to(self.folder).as_posix()
            place = path, each["line"], each["code"], each["cell"]
            yield Place(self.package, self.version, *place)


def commit(folder: Path) -> str:
    """The commit that is checked out in a folder."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


def table(comparison: Comparison) -> Iterator[str]:
    columns = (*VERDICTS, "unlabelled")
    yield "code    " + "".join(f"{column:>12}" for column in columns)
    for code in sorted({code for code, _ in comparison.counts}):
        counts = (comparison.counts[code, column] for column in columns)
        note = "" if comparison.is_precise(code) else f"  false: more than {RULE_BAR:.0%}"
        yield f"{code:8}" + "".join(f"{count:12}" for count in counts) + note
    yield "all     " + "".join(f"{comparison.count(column):12}" for column in columns)
    yield f"false: {comparison.false_share:.1%} (at most {BAR:.0%})"
    yield from (f"unlabelled: {place}" for place in comparison.unlabelled)
    yield from (f"stale: {label.place}, {label.verdict}" for label in comparison.stale)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="*", type=Release.named)
    parser.add_argument("--below", type=Path, help="the folder of all listed releases")
    parser.add_argument("--labels", type=Path, default=ROOT / "testdata" / "labels.jsonl")
    options = parser.parse_args(arguments)
    releases = [*options.releases, *(Release.listed(options.below) if options.below else ())]
    asked = {(release.package, release.version) for release in releases}
    labels = parsed(options.labels.read_text(encoding="utf-8").splitlines())
    found = [place for release in releases for place in sampled(release.findings())]
    of_asked = [label for label in labels if label.place[:2] in asked]
    comparison = compare(found, of_asked)
    print("\n".join(table(comparison)))
    return int(not comparison.passes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
