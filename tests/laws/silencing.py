"""Silencing: a comment silences the findings of its line that it names, and no other."""

from __future__ import annotations

from devlint.finding import Finding
from devlint.findings.unused_suppressions import Audit
from devlint.rule.self_reports import UnusedSuppression
from devlint.run.add_suppressions import excused
from devlint.run.check import check
from devlint.run.plan import Plan
from devlint.testing.spec import loaded

from .examples import PATH, Example, rules
from .law import Faults, of_each


def faults(example: Example) -> Faults:
    before = found_in(example, example.code.encode())
    places = {(each.span.line, each.code) for each in before}
    if not places:
        return None
    found: list[str] = []
    for line, code in sorted(places):
        chosen = [each for each in before if (each.span.line, each.code) == (line, code)]
        after = silenced(example, chosen)
        found += (f"line {line}, {code}: lost {each.code}" for each in lost(before, after, chosen))
        found += (f"line {line}, {code}: added {each.code}" for each in lost(after, before, []))
    return found


LAW = of_each("silencing", faults)


def silenced(example: Example, chosen: list[Finding]) -> list[Finding]:
    """What is found when a comment silences some."""
    plan = Plan.of_rules(rules(), ())
    return found_in(example, excused(PATH, example.code.encode(), chosen, plan).after)


def found_in(example: Example, data: bytes) -> list[Finding]:
    audit = Audit.of([*loaded(), UnusedSuppression], loaded())
    return [*check(PATH, data, rules(), audit, vocabulary=example.vocabulary).findings]


def lost(one: list[Finding], other: list[Finding], but: list[Finding]) -> list[Finding]:
    """Those that are not found any more, by all that a comment behind a line does not move."""
    kept = {(each.span, each.code, each.message) for each in (*other, *but)}
    return [each for each in one if (each.span, each.code, each.message) not in kept]
