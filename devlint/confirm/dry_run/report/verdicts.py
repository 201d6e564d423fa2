"""What a dry run says of the findings of the linter, and the findings that its events are."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from devlint.confirm.device_tags.device_event import DeviceEvent, EventOperand
from devlint.confirm.device_tags.provenance import Frame
from devlint.confirm.dry_run.parent import DryRun
from devlint.confirm.dry_run.report.document_places import lines_of, named, span_of
from devlint.confirm.dry_run.request import Lines
from devlint.finding import START, Evidence, Finding, Related, Verdict
from devlint.rule.self_reports import OWN_CODES, RefusedByCuda

#: So many of the calls that lead to an event are told.
_CALLERS = 8
_FAULTS = tuple(fault.code for fault in OWN_CODES)


def lines(place: Finding | Related) -> Lines:
    """What has to run of a place if its finding is to be judged."""
    return os.path.realpath(place.path), *lines_of(place.path, place.span)


def is_judged(finding: Finding) -> bool:
    """Whether it is one of a rule's."""
    return not finding.code.startswith(_FAULTS)


def judged(
    findings: Iterable[tuple[Finding, Lines]], run: DryRun, silent: Container[str]
) -> list[Finding]:
    """The findings with the verdicts of the run, by their lines.

    `silent`: the codes of bugs that a run does not refute by ending well.
    """
    return [replace(each, evidence=_evidence(each, at, run, silent)) for each, at in findings]


def _evidence(finding: Finding, at: Lines, run: DryRun, silent: Container[str]) -> Evidence:
    path, first, last = at
    foretold = [lines(place) for place in finding.related if place.is_later]
    for event in run.told.events:
        is_named = any(_is_in(frame, at) for frame in _places(event))
        if is_named or any(_is_in(event.stack[0], place) for place in foretold if event.stack):
            return _on(run, "confirmed", f"{event.error}: {event.message}")
    if not any((path, line) in run.told.ran for line in range(first, last + 1)):
        return _on(run, "not reached")
    is_refuted = run.is_clean and finding.code not in silent
    return _on(run, "refuted" if is_refuted else "inconclusive")


def _is_in(frame: Frame, lines: Lines) -> bool:
    path, first, last = lines
    return first <= frame[1] <= last and os.path.realpath(frame[0]) == path


def _on(run: DryRun, verdict: Verdict, error: str | None = None) -> Evidence:
    return Evidence(verdict, run.told.on, run.told.torch, error)


def _places(event: DeviceEvent) -> Iterator[Frame]:
    """The lines that an event blames: those that crash, and those that led to what is on the CPU,
    or, where nothing is, to any operand."""
    yield from event.stack
    culprits = [each for each in event.operands if each.device == "cpu"]
    for operand in culprits or event.operands:
        for birth in (operand.birth, *operand.roots):
            yield from birth


def of_events(run: DryRun, program: str) -> list[Finding]:
    """A finding for each event; `program` is to blame where no line of the user's is."""
    return [_finding(event, run, program) for event in run.told.events]


def _finding(event: DeviceEvent, run: DryRun, program: str) -> Finding:
    crash = event.stack[0] if event.stack else None
    culprits_first = sorted(event.operands, key=lambda each: each.device != "cpu")
    related = [place for operand in culprits_first for place in _origins(operand)]
    callers = [_related(frame, "called here") for frame in event.stack[1 : 1 + _CALLERS]]
    where = f" (in {event.process})" if event.process else ""
    return Finding(
        RefusedByCuda.code,
        RefusedByCuda.name,
        f"{event.message}{where}",
        RefusedByCuda.severity,
        named(crash[0]) if crash else program,
        span_of(crash) if crash else START,
        (*related, *callers),
        evidence=_on(run, "confirmed", event.error),
    )


def _origins(operand: EventOperand) -> Iterator[Related]:
    """Where an operand comes from, what came first before what was made of it."""
    for root in operand.root_frames:
        yield _related(root, "an operand is computed from what is made here")
    for frame in operand.birth[:1]:
        shape = list(operand.shape)
        yield _related(frame, f"an operand of shape {shape} is on {operand.device} since here")


def _related(frame: Frame, message: str) -> Related:
    return Related(named(frame[0]), span_of(frame), message)
