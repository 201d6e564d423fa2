"""Fixing: after a fix its finding is gone, no new one is there, and nothing is left to fix.

A fix that would lead to another finding is refused, and told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from devlint.run.check import check
from devlint.run.fix import Mended, mended
from devlint.run.plan import Plan

from .examples import PATH, Example, rules
from .law import Faults, of_each


def faults(example: Example) -> Faults:
    plan = Plan.of_rules(rules(), ("safe", "unsafe"))
    file = fixed(example, example.code.encode(), plan)
    if not file.is_changed:
        return None
    again = fixed(example, file.after, plan)
    return [
        *(["a second run fixes more"] if again.is_changed else []),
        *remaining(example, file),
    ]


LAW = of_each("fixing", faults)


def fixed(example: Example, data: bytes, plan: Plan) -> Mended:
    found = check(PATH, data, plan.active, vocabulary=example.vocabulary).findings
    return mended(PATH, data, found, plan)


def remaining(example: Example, file: Mended) -> Iterator[str]:
    """What a later fix mends of what an earlier one has uncovered was not there at first."""
    before, after = (
        Counter(each.code for each in check(PATH, data, rules(), vocabulary=own).findings)
        for own in [example.vocabulary]
        for data in (file.before, file.after)
    )
    yield from (f"added {code}" for code in (after - before).elements())
    if after.total() >= before.total():
        yield "as much is found as before"
