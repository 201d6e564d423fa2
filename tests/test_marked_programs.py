"""On pages that explain what goes wrong, the findings are where the comments say."""

from __future__ import annotations

import pytest

from devlint.testing.spec import Case, marks, mismatches
from tests.documents import Block
from tests.marked_programs import PAGES, PROGRAMS, marked, parts

PARTS = dict(parts())


def test_there_are_programs_on_each_page() -> None:
    assert {block.document for block in PROGRAMS} == {*PAGES}
    assert all(block.file for block in PROGRAMS)
    assert len(PARTS) > 5


@pytest.mark.parametrize("block", PROGRAMS, ids=lambda block: block.file)
def test_findings_are_where_the_page_says(block: Block) -> None:
    assert list(marks(marked(block.text), "expect"))
    assert mismatches(Case(str(block.file), marked(block.text))) == []


@pytest.mark.parametrize("name", PARTS)
def test_what_is_shown_before_is_found_and_what_is_shown_after_is_not(name: str) -> None:
    code = marked(PARTS[name])
    assert ("# expect: " in code) == (", before" in name)
    assert mismatches(Case(name, code)) == []
