"""What a dry run says of the findings of the linter, and which of them its events are told in."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from devlint.confirm.device_tags.device_event import DeviceEvent
from devlint.confirm.device_tags.provenance import Frame
from devlint.confirm.dry_run.parent import DryRun
from devlint.confirm.dry_run.report.document_places import lines_of
from devlint.confirm.dry_run.report.event_findings import alone, culprits, joined
from devlint.confirm.dry_run.report.event_text import message_of
from devlint.confirm.dry_run.request import Lines
from devlint.finding import Evidence, Finding, Related, Verdict
from devlint.rule.self_reports import OWN_CODES

_FAULTS = tuple(fault.code for fault in OWN_CODES)


def lines(place: Finding | Related) -> Lines:
    """What has to run of a place if its finding is to be judged."""
    return os.path.realpath(place.path), *lines_of(place.path, place.span)


def is_judged(finding: Finding) -> bool:
    """Whether it is one of a rule's."""
    return not finding.code.startswith(_FAULTS)


@dataclass(frozen=True, slots=True)
class Case:
    """A finding of the linter, its lines, and those where it says that its value crashes."""

    finding: Finding
    at: Lines
    foretold: tuple[Lines, ...]

    @classmethod
    def of(cls, finding: Finding, at: Lines) -> Case:
        return cls(finding, at, tuple(lines(each) for each in finding.related if each.is_later))

    def nearness(self, event: DeviceEvent) -> int:
        """3: it is where the culprit was made, 2: where it crashes, 1: on the way to there, 0: it
        has nothing to do with the event."""
        made = [frame for each in culprits(event) for frame in each.birth[:1]]
        if any(is_in(frame, self.at) for frame in made):
            return 3
        if any(is_in(frame, place) for frame in event.stack[:1] for place in self._crashes):
            return 2
        return int(any(is_in(frame, self.at) for frame in _places(event)))

    @property
    def _crashes(self) -> tuple[Lines, ...]:
        return self.at, *self.foretold


def findings_of(
    cases: Sequence[Case], run: DryRun, program: str, silent: Container[str]
) -> list[Finding]:
    """One for each bug: an event that the linter found, too, is told in its finding.

    `program` is to blame where no line of the user's is; `silent`: the codes of bugs that a run
    does not refute by ending well.
    """
    owned: dict[Case, list[DeviceEvent]] = {case: [] for case in cases}
    found = []
    for event in run.told.events:
        owner = max(cases, key=lambda case: case.nearness(event), default=None)
        if owner is None or not owner.nearness(event):
            found.append(alone(event, _on(run, "confirmed", event.error), program))
        else:
            owned[owner].append(event)
    for case, events in owned.items():
        found.append(joined(replace(case.finding, evidence=_evidence(case, run, silent)), events))
    return found


def _evidence(case: Case, run: DryRun, silent: Container[str]) -> Evidence:
    event = max(run.told.events, key=case.nearness, default=None)
    if event and case.nearness(event):
        return _on(run, "confirmed", f"{event.error}: {message_of(event)}")
    if not has_run(case.at, run.told.ran):
        return _on(run, "not reached")
    is_refuted = run.is_clean and case.finding.code not in silent
    return _on(run, "refuted" if is_refuted else "inconclusive")


def has_run(place: Lines, ran: Container[tuple[str, int]]) -> bool:
    """Whether one of those lines is among those that ran."""
    path, first, last = place
    return any((path, line) in ran for line in range(first, last + 1))


def is_in(frame: Frame, lines: Lines) -> bool:
    """Whether a line that ran is one of those."""
    path, first, last = lines
    return first <= frame[1] <= last and os.path.realpath(frame[0]) == path


def _on(run: DryRun, verdict: Verdict, error: str | None = None) -> Evidence:
    return Evidence(verdict, run.told.on, run.told.torch, error)


def _places(event: DeviceEvent) -> Iterator[Frame]:
    """The lines that an event blames: those that crash, and those that led to what is in the wrong
    place."""
    yield from event.stack
    for operand in culprits(event):
        for birth in (operand.birth, *operand.roots):
            yield from birth
