"""Product: what a rule says does not depend on which other rules are selected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from devlint.finding import Finding
from devlint.models.libraries import libraries
from devlint.rule.analysis import in_order
from devlint.rule.rule import Rule
from devlint.run.problems_to_findings import Judgement

from .examples import Example, rules, said
from .law import Faults, of_each
from .observed import observed


def faults(example: Example) -> Faults:
    every = example.judgement(rules())
    return [
        *needless(example),
        *(fault for rule in rules() for fault in alone(example, every, rule)),
        *(fault for rule in rules() for fault in left_out(example, every, rule)),
    ]


LAW = of_each("product", faults)


def alone(example: Example, every: Judgement, rule: Rule[Any]) -> Iterator[str]:
    """What a rule says by itself, and what it says among all before one speaks for several."""
    among = findings(example, only(every, [rule]))
    return unlike(among, findings(example, example.judgement([rule])), f"{rule.code} alone")


def left_out(example: Example, every: Judgement, rule: Rule[Any]) -> Iterator[str]:
    """What the other rules say without one of them."""
    others = [each for each in rules() if each is not rule]
    without = findings(example, example.judgement(others))
    return unlike(findings(example, only(every, others)), without, f"without {rule.code}")


def only(judgement: Judgement, chosen: Sequence[Rule[Any]]) -> Judgement:
    """What is left when some rules are asked, so that none speaks for the others."""
    problems = tuple(each for each in judgement.problems if each[0] in chosen)
    return replace(judgement, problems=problems)


def findings(example: Example, judgement: Judgement) -> Counter[Finding]:
    return Counter(said(example.lowered, judgement))


def unlike(one: Counter[Finding], other: Counter[Finding], what: str) -> Iterator[str]:
    yield from (f"{what}: line {each.span.line}: lost {each.code}" for each in one - other)
    yield from (f"{what}: line {each.span.line}: added {each.code}" for each in other - one)


def needless(example: Example) -> Iterator[str]:
    """Analyses that run although the one selected rule does not need them, or that do not."""
    always = libraries(example.vocabulary).analyses
    for rule in rules():
        run = observed(example, [rule]).listened
        needed = set(in_order((*always, *rule.needs)))
        yield from (f"{rule.code} alone runs {each.__name__}" for each in run - needed)
        yield from (f"{rule.code} alone lacks {each.__name__}" for each in needed - run)
