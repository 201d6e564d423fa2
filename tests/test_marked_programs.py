"""On pages that explain what goes wrong, the findings are where the comments say."""

from __future__ import annotations

from devlint.testing.spec import Case, marks, mismatches
from tests.documents import Block
from tests.marked_programs import PAGES, PROGRAMS, every_program, marked


def test_there_are_programs_on_each_page() -> None:
    assert {block.document for block in PROGRAMS} == {*PAGES}
    assert all(block.file for block in PROGRAMS)


@every_program
def test_findings_are_where_the_page_says(block: Block) -> None:
    assert list(marks(marked(block), "expect"))
    assert mismatches(Case(str(block.file), marked(block))) == []
