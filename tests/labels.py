"""Compares what devlint finds in released packages with the labels that people gave its findings.

Run as `python tests/labels.py PACKAGE==VERSION=FOLDER...` on unpacked wheels; exits with 1 on a
finding without a label, or when too many are false.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
VERDICTS = ("true", "harmless", "false")
#: The share of false findings that is tolerated.
BAR = 0.05


class Place(NamedTuple):
    """`path` is relative to the folder that the package was unpacked to."""

    package: str
    version: str
    path: str
    line: int
    code: str

    def __str__(self) -> str:
        return f"{self.package}=={self.version} {self.path}:{self.line} {self.code}"


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

    @property
    def passes(self) -> bool:
        return not self.unlabelled and self.false_share <= BAR


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


def parsed(lines: Iterable[str]) -> Iterator[Label]:
    for number, line in enumerate(lines, 1):
        fields = json.loads(line)
        if fields["verdict"] not in VERDICTS or not fields["why"]:
            raise ValueError(f"label {number}: no reason, or no verdict of {', '.join(VERDICTS)}")
        yield Label(Place(*(fields[name] for name in Place._fields)), fields["verdict"])


class Release(NamedTuple):
    package: str
    version: str
    folder: Path

    @classmethod
    def named(cls, text: str) -> Release:
        """From `PACKAGE==VERSION=FOLDER`."""
        package, _, rest = text.partition("==")
        version, _, folder = rest.partition("=")
        if not Path(folder or "?").is_dir():
            raise argparse.ArgumentTypeError(f"'{text}' is not PACKAGE==VERSION=FOLDER")
        return cls(package, version, Path(folder).resolve())

    def findings(self) -> Iterator[Place]:
        """What the installed command prints of the folder."""
        command = Path(sys.executable).with_name("devlint")
        options = ["--isolated", "--output-format", "json"]
        run = subprocess.run([command, "check", *options, self.folder], stdout=subprocess.PIPE)
        if run.returncode not in (0, 1):
            raise SystemExit(f"devlint could not check all of {self.folder}")
        for each in json.loads(run.stdout):
            path = Path(each["path"]).resolve().relative_to(self.folder).as_posix()
            yield Place(self.package, self.version, path, each["line"], each["code"])


def table(comparison: Comparison) -> Iterator[str]:
    columns = (*VERDICTS, "unlabelled")
    yield "code    " + "".join(f"{column:>12}" for column in columns)
    for code in sorted({code for code, _ in comparison.counts}):
        counts = (comparison.counts[code, column] for column in columns)
        yield f"{code:8}" + "".join(f"{count:12}" for count in counts)
    yield "all     " + "".join(f"{comparison.count(column):12}" for column in columns)
    yield f"false: {comparison.false_share:.1%} (at most {BAR:.0%})"
    yield from (f"unlabelled: {place}" for place in comparison.unlabelled)
    yield from (f"stale: {label.place}, {label.verdict}" for label in comparison.stale)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="+", type=Release.named)
    parser.add_argument("--labels", type=Path, default=ROOT / "testdata" / "labels.jsonl")
    options = parser.parse_args(arguments)
    asked = {(release.package, release.version) for release in options.releases}
    labels = parsed(options.labels.read_text(encoding="utf-8").splitlines())
    found = [place for release in options.releases for place in release.findings()]
    of_asked = [label for label in labels if label.place[:2] in asked]
    comparison = compare(found, of_asked)
    print("\n".join(table(comparison)))
    return int(not comparison.passes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
