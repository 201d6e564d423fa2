"""What a scan comes to, counted from its tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

from devlint.finding import CONFIDENCES, SEVERITIES
from devlint.scan.batch import Batch
from devlint.scan.mark import Mark
from devlint.scan.result import NUMBERS, Row
from devlint.scan.store import Store

#: How many findings, and how many failures, are told one by one.
TOP = 60
#: What is read of findings.
COLUMNS = ("project", "code", "name", "severity", "confidence", "path", "cell", "line")
TEXTS = ("message", "source")


@dataclass(slots=True)
class Totals:
    """`numbers` are those of all projects together; `top` are the gravest and surest findings, of
    each rule one in a project."""

    projects: int = 0
    analysed: int = 0
    numbers: Counter[str] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    names: dict[str, str] = field(default_factory=dict)
    rules: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    top: list[Row] = field(default_factory=list)
    #: Projects that could not be analysed come first.
    failures: list[Row] = field(default_factory=list)
    seconds: float = 0.0
    memory: int = 0

    @property
    def codes(self) -> Counter[str]:
        """How many findings each rule has."""
        return sum(self.rules.values(), Counter[str]())


def totals(store: Store, batches: Sequence[Batch], marks: Sequence[Mark]) -> Totals:
    """Of the batches that are done."""
    found = Totals(
        seconds=sum(each.seconds for each in marks),
        memory=max((each.memory for each in marks), default=0),
    )
    for row in store.rows("projects", batches, ("is_analysed", *NUMBERS)):
        found.projects += 1
        found.analysed += row["is_analysed"]
        found.numbers.update({name: row[name] for name in NUMBERS})
    firsts: dict[tuple[str, str], Row] = {}
    for row in store.rows("findings", batches, (*COLUMNS, *TEXTS)):
        found.names[row["code"]] = row["name"]
        found.severities[row["severity"]] += 1
        found.rules[row["project"]][row["code"]] += 1
        key = row["project"], row["code"]
        firsts[key] = min(row, firsts.get(key, row), key=gravity)
    found.top = nsmallest(TOP, firsts.values(), key=gravity)
    failures = store.rows("failures", batches, ("project", "path", "code", "reason"))
    found.failures = nsmallest(TOP, failures, key=lambda row: row["path"] is not None)
    return found


def gravity(row: Row) -> tuple[int, int]:
    return SEVERITIES.index(row["severity"]), CONFIDENCES.index(row["confidence"])
