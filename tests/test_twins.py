"""Programs that were mended stay clean: no finding has a place on a line marked `# mended`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from devlint.finding import Finding
from devlint.rule.registry import load_rules
from devlint.run.plan import Plan
from devlint.settings import Settings
from devlint.testing.spec import Case, cases

TWINS = Path(__file__).parent.parent / "testdata" / "twins"
PLAN = Plan.of(Settings(), load_rules())
CASES = [case for page in sorted(TWINS.glob("*.md")) for case in cases(page.read_text("utf-8"))]


@pytest.mark.parametrize("twin", CASES, ids=lambda twin: twin.title)
def test_mended_lines_are_clean(twin: Case) -> None:
    mended = mended_lines(twin.code)
    assert mended
    assert [finding for finding in found(twin.code) if mended & lines(finding)] == []


def test_titles_are_unique() -> None:
    titles = [twin.title for twin in CASES]
    assert len(titles) == len(set(titles))


def test_a_related_place_on_a_mended_line_counts() -> None:
    (finding,) = found(BROKEN)
    assert mended_lines(BROKEN) & lines(finding) == {5}


BROKEN = """\
import torch
from torch import nn

model = nn.Linear(2, 2)
model.to("cuda")  # mended
model(torch.ones(2))
"""


def mended_lines(code: str) -> set[int]:
    marked = enumerate(code.splitlines(), start=1)
    return {number for number, line in marked if line.endswith("# mended")}


def found(code: str) -> list[Finding]:
    """What a user without a configuration sees."""
    checked = PLAN.check("twin.py", code.encode())
    assert not checked.traceback
    return PLAN.findings(checked.findings)


def lines(finding: Finding) -> set[int]:
    """All lines of a finding and of its related places."""
    return set(covered(finding))


def covered(finding: Finding) -> Iterator[int]:
    for span in (finding.span, *(related.span for related in finding.related)):
        yield from range(span.line, span.end_line + 1)
