"""Alone: a file by itself has the findings that it has as the only one of a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from devlint.finding import Finding
from devlint.run.check import check
from devlint.testing.project_spec import found_in

from .examples import PATH, Example, rules
from .law import Faults, of_each


def faults(example: Example) -> Faults:
    own = example.vocabulary
    alone = told(check(PATH, example.code.encode(), rules(), vocabulary=own).findings)
    among = told(found_in({PATH: example.code}, rules(), vocabulary=own))
    lost, added = alone - among, among - alone
    return [*(f"lost {each}" for each in lost), *(f"added {each}" for each in added)]


LAW = of_each("alone", faults)


def told(findings: Iterable[Finding]) -> Counter[str]:
    """All but the path, which is absolute in a project, and the confidence, which a rule may have
    from what a project lacks."""
    return Counter(
        f"line {each.span.line}:{each.span.column}: {each.code} {each.message}" for each in findings
    )
