"""What the linter finds in a package beside what shifted calls of it show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.confirm.dry_run.report.event_findings import culprits, joined
from devlint.confirm.dry_run.report.event_text import message_of
from devlint.confirm.dry_run.report.verdicts import Case, has_run, is_in, lines
from devlint.confirm.dry_run.request import Lines
from devlint.confirm.shift.report import EMULATED, finding
from devlint.confirm.shift.tally import ShiftedEvent
from devlint.finding import Evidence, Finding, Verdict
from devlint.findings.fingerprint import Lines as Source
from devlint.findings.fingerprint import fingerprints
from devlint.report.colour import place
from devlint.report.json import item

#: Found by both; by shifted calls alone; in lines that ran without an event; of a kind that no run
#: shows; in lines that did not run.
Fate = Literal["both", "shift only", "refuted", "not shown", "not covered"]
FATES: tuple[Fate, ...] = get_args(Fate)
_VERDICTS: dict[Fate, Verdict] = {
    "both": "confirmed",
    "refuted": "refuted",
    "not shown": "inconclusive",
    "not covered": "not reached",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What shifted calls have shown; `silent`: the codes of bugs that CUDA does not refuse."""

    events: Sequence[ShiftedEvent]
    ran: Container[tuple[str, int]]
    torch: str
    silent: Container[str]


@dataclass(frozen=True, slots=True)
class Compared:
    finding: Finding
    fate: Fate


def compare(found: Sequence[Finding], seen: Seen) -> list[Compared]:
    """The findings of the linter, each with its fate and evidence, and those of other events."""
    cases = [Case.of(each, lines(each)) for each in found]
    compared, told = [], set[int]()
    for case in cases:
        events = [each for each in seen.events if _meet(case, each.event)]
        told.update(map(id, events))
        compared.append(_judged(case, [each.event for each in events], seen))
    rest = [each for each in seen.events if id(each) not in told]
    compared += [Compared(finding(each, seen.torch), "shift only") for each in rest]
    return sorted(compared, key=lambda each: (each.finding.path, each.finding.span))


def _judged(case: Case, events: Sequence[DeviceEvent], seen: Seen) -> Compared:
    fate = "both" if events else _fate(case, seen)
    error = f"{events[0].error}: {message_of(events[0])}" if events else None
    evidence = Evidence(_VERDICTS[fate], EMULATED, seen.torch, error)
    return Compared(joined(replace(case.finding, evidence=evidence), events), fate)


def _fate(case: Case, seen: Seen) -> Fate:
    """What is foretold to crash has to run, too."""
    foretold = case.foretold or (case.at,)
    if not (has_run(case.at, seen.ran) and any(has_run(each, seen.ran) for each in foretold)):
        return "not covered"
    return "not shown" if case.finding.code in seen.silent else "refuted"


def watched(found: Sequence[Finding]) -> tuple[Lines, ...]:
    """The lines of which it has to be known whether they run."""
    cases = (Case.of(each, lines(each)) for each in found)
    return tuple(place for case in cases for place in (case.at, *case.foretold))


def _meet(case: Case, event: DeviceEvent) -> bool:
    """Whether the finding has a place in common with what crashes, or with where that was made."""
    if case.nearness(event):
        return True
    frames = [*event.stack[:1], *(frame for each in culprits(event) for frame in each.birth[:1])]
    return any(is_in(frame, each) for frame in frames for each in _related(case))


def _related(case: Case) -> list[Lines]:
    return list(map(lines, case.finding.related))


def table(compared: Sequence[Compared]) -> dict[str, Counter[Fate]]:
    """How many findings of each rule have which fate."""
    found: dict[str, Counter[Fate]] = {}
    for each in sorted(compared, key=lambda each: each.finding.code):
        rule = f"{each.finding.code} {each.finding.name}"
        found.setdefault(rule, Counter())[each.fate] += 1
    return found


def told(compared: Sequence[Compared]) -> Iterator[str]:
    """The table, and the findings of each fate."""
    rows = table(compared)
    width = max((len(rule) for rule in rows), default=0)
    yield f"{'':{width}}  {'  '.join(FATES)}".rstrip()
    for rule, numbers in rows.items():
        yield f"{rule:{width}}  {'  '.join(f'{numbers[fate]:{len(fate)}}' for fate in FATES)}"
    for fate in FATES:
        some = [each.finding for each in compared if each.fate == fate]
        yield from ["", f"{fate}:"] if some else []
        for each in some:
            yield f"{place(each.path, each.span)}: {each.code} {each.message}"


def as_data(compared: Sequence[Compared], source: Source) -> dict[str, Any]:
    """The same for programs."""
    names = fingerprints([each.finding for each in compared], source)
    return {
        "rules": {
            rule.partition(" ")[0]: {fate: numbers[fate] for fate in FATES}
            for rule, numbers in table(compared).items()
        },
        "findings": [
            {**item(each.finding, name), "fate": each.fate}
            for each, name in zip(compared, names, strict=True)
        ],
    }
