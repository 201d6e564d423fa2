"""What a run over files led to as JSON, and back, with a look at each part."""

from __future__ import annotations

from collections import Counter
from typing import Any

from devlint.cache import findings
from devlint.cache.checked import number, one_of, text
from devlint.finding import SEVERITIES
from devlint.run.outcome import Outcome


def packed(outcome: Outcome) -> list[object] | None:
    """None where it is not to be had again: the run was not complete, or has mended something."""
    if not outcome.is_complete or outcome.fixing or outcome.tracebacks:
        return None
    return [
        [findings.packed(each) for each in outcome.findings],
        outcome.complaints,
        sorted(outcome.codes),
        outcome.stages["passed"],
        outcome.exhausted,
        outcome.fixable,
        outcome.held_back,
        outcome.doubtful,
        outcome.fail_level,
    ]


def unpacked(told: Any, paths: list[str]) -> Outcome | None:
    """The outcome of a run over `paths`; None where it is nothing of the kind."""
    try:
        found, complaints, codes, passed, exhausted, fixable, held_back, doubtful, level = told
        return Outcome(
            [findings.unpacked(each) for each in found],
            [text(each) for each in complaints],
            paths=paths,
            codes={text(each) for each in codes},
            reused=len(paths),
            stages=Counter(passed=number(passed)),
            exhausted=number(exhausted),
            fixable=number(fixable),
            held_back=number(held_back),
            doubtful=number(doubtful),
            fail_level=one_of(level, SEVERITIES),
        )
    except (ValueError, TypeError, LookupError):
        return None
