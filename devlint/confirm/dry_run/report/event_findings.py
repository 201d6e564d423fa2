"""The findings in which device events are told: their own, or those of the linter."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from devlint.confirm.device_tags.device_event import DeviceEvent, EventOperand
from devlint.confirm.device_tags.provenance import Frame
from devlint.confirm.dry_run.report.document_places import named, span_of
from devlint.confirm.dry_run.report.event_text import message_of
from devlint.finding import START, Evidence, Finding, Related
from devlint.rule.self_reports import Fault, RefusedByCuda

#: So many of the calls that lead to an event are told.
_CALLERS = 8

_Place = tuple[str, int | None, int]


def culprits(event: DeviceEvent) -> Sequence[EventOperand]:
    """The operands on the CPU, or, where none is, all."""
    return [each for each in event.operands if each.device == "cpu"] or event.operands


def alone(
    event: DeviceEvent, evidence: Evidence, program: str, rule: type[Fault] = RefusedByCuda
) -> Finding:
    """One of its own; `program` is to blame where no line of the user's is."""
    crash = event.stack[0] if event.stack else None
    culprits_first = sorted(event.operands, key=lambda each: each.device != "cpu")
    origins = _all_origins(culprits_first)
    return Finding(
        rule.code,
        rule.name,
        message_of(event),
        rule.severity,
        named(crash[0]) if crash else program,
        span_of(crash) if crash else START,
        tuple(_by_line([*origins, *_callers(event)])),
        evidence=evidence,
    )


def joined(finding: Finding, events: Iterable[DeviceEvent]) -> Finding:
    """The finding with what happened: where CUDA refuses its value, and what meets there."""
    earlier = [each for each in finding.related if not each.is_later]
    later = [each for each in finding.related if each.is_later]
    for event in events:
        guilty = culprits(event)
        others = [each for each in event.operands if each not in guilty]
        crash = [_related(frame, _refusal(event)) for frame in event.stack[:1]]
        there = [_place(each) for each in crash]
        is_crash = _place(finding) in there
        earlier += (place for place in _all_origins(guilty) if _place(place) not in there)
        met = [place for place in _all_origins(others) if _place(place) not in there]
        if is_crash:
            earlier += met
        else:
            later = [*met, *later]
        later += [*crash, *_callers(event)]
    elsewhere = [each for each in (*earlier, *later) if _place(each) != _place(finding)]
    is_later = {id(each) for each in later}
    told = [replace(each, is_later=id(each) in is_later) for each in elsewhere]
    return replace(finding, related=tuple(_by_line(told)))


def _callers(event: DeviceEvent) -> list[Related]:
    return [_related(frame, "called here") for frame in event.stack[1 : 1 + _CALLERS]]


def _refusal(event: DeviceEvent) -> str:
    operands = ", ".join(f"{each.what} is on {each.device}" for each in event.operands)
    return f"CUDA refuses it here: {operands}" if operands else "CUDA refuses it here"


def _all_origins(operands: Iterable[EventOperand]) -> list[Related]:
    return [place for operand in operands for place in _origins(operand)]


def _origins(operand: EventOperand) -> Iterator[Related]:
    """Where an operand comes from, what came first before what was made of it."""
    for root in operand.root_frames:
        yield _related(root, "an operand is computed from what is made here")
    for frame in operand.birth[:1]:
        yield _related(frame, f"{operand.what} is on {operand.device} since here")


def _related(frame: Frame, message: str) -> Related:
    return Related(named(frame[0]), span_of(frame), message)


def _place(each: Finding | Related) -> _Place:
    return os.path.realpath(each.path), each.span.cell, each.span.line


def _by_line(places: Iterable[Related]) -> Iterator[Related]:
    """What is said of one line, one after the other, of what is smallest there."""
    lines: dict[_Place, list[Related]] = {}
    for each in places:
        lines.setdefault(_place(each), []).append(each)
    for those in lines.values():
        span = min((each.span for each in those), key=lambda span: span.extent)
        yield from dict.fromkeys(replace(each, span=span) for each in those)
