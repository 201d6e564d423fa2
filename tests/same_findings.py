"""Says where the two front ends lead to different findings in the files below folders.

Run as `python tests/same_findings.py FOLDER...`; exits with 1 if any file differs. Every file that
the prefilter keeps is decided by `ast` alone and by LibCST alone, suppressions left aside. Findings
being rare in good code, the events that rules look at are compared as well.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from devlint.event import Checkpoints, Combine, Event, Exhausted, Sample, Use
from devlint.finding import Finding, Span
from devlint.lower import from_ast
from devlint.lower.limits import RECURSION_LIMIT
from devlint.lower.lowered import Lowered
from devlint.rule.problem import Problem
from devlint.rule.registry import load_rules
from devlint.rule.rule import Rule
from devlint.run.front_ends import RefusedError, concrete
from devlint.run.prefilter import mentions_devices
from devlint.run.problems_to_findings import crash_finding, findings, judge
from devlint.run.session import no_garbage_collection
from devlint.text.source_text import UndecodableError, decode


class Witness(Rule[Event]):
    """Reports every event with the devices in it."""

    code, name, summary, severity = "EVENT", "event", "an event", "note"
    watches = (Checkpoints, Combine, Sample, Use)

    def check(self, event: Event) -> Iterator[Problem]:
        if isinstance(event, Checkpoints):
            for save in event.saves:
                yield Problem(save.node, f"Save {save.operation} from {save.device}")
            for load in event.loads:
                yield Problem(load.node, f"Load {load.operation} into {load.into}")
        elif not isinstance(event, Exhausted):
            yield Problem(event.node, f"{type(event).__name__} {', '.join(devices(event))}")


def devices(event: Event) -> Iterator[str]:
    if isinstance(event, Combine):
        yield from (f"{each.name} on {each.value.device}" for each in event.operands)
    elif isinstance(event, Sample):
        yield f"{event.operation} on {event.device} from {event.generator.value.device}"
    elif isinstance(event, Use):
        yield from (f"{each.name} in {each.where}" for each in event.attaches)


WITNESS = Witness()
RULES: list[Rule[Any]] = [rule() for rule in load_rules() if not rule.is_opt_in]


def decided(path: str, lowered: Lowered) -> tuple[Counter[Finding], Counter[Finding]]:
    """The findings, crashes included, and the events in the form of findings."""
    judgement = judge(lowered.module, [*RULES, WITNESS])
    crashes = [*judgement.crashes]
    problems = tuple(each for each in judgement.problems if each[0] is not WITNESS)
    judged = replace(judgement, problems=problems)
    # Only LibCST makes edits of a fix.
    found = Counter(replace(each, fix=None) for each in findings(path, lowered, judged, crashes))
    found.update(crash_finding(path, crash, lowered) for crash in crashes)
    events = [problem for rule, problem in judgement.problems if rule is WITNESS]
    spans = lowered.spans(event.node for event in events)
    return found, Counter(
        Finding(WITNESS.code, WITNESS.name, event.message, "note", path, spans[event.node])
        for event in events
    )


def differences(path: Path, counts: Counter[str]) -> Iterator[str]:
    try:
        text = decode(path.read_bytes())
        if not mentions_devices(text):
            return
        exact = decided(str(path), concrete(str(path), text))
        screened = decided(str(path), from_ast.lower(text))
    except (UndecodableError, RefusedError, SyntaxError) as error:
        print(f"{path}: left out: {error}")
        return
    counts.update(kept=1, findings=sum(exact[0].values()), events=sum(exact[1].values()))
    for one, other in zip(screened, exact, strict=True):
        yield from (f"by ast alone: {described(each)}" for each in (one - other).elements())
        yield from (f"by LibCST alone: {described(each)}" for each in (other - one).elements())


def described(finding: Finding) -> str:
    related = [f"{place(each.span)} {each.message}" for each in finding.related]
    return "; ".join([f"{place(finding.span)} {finding.code} {finding.message}", *related])


def place(span: Span) -> str:
    return f"{span.line}:{span.column}-{span.end_line}:{span.end_column}"


def main(folders: list[str]) -> int:
    sys.setrecursionlimit(RECURSION_LIMIT)
    counts: Counter[str] = Counter()
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.py"))
    for path in files:
        with no_garbage_collection():
            for difference in differences(path, counts):
                counts["differences"] += 1
                print(f"{path}: {difference}", flush=True)
    print(
        f"{len(files)} files, {counts['kept']} decided twice: {counts['findings']} findings, "
        f"{counts['events']} events, {counts['differences']} differences"
    )
    return int(bool(counts["differences"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
