"""Half-typed texts are completed, line by line."""

from __future__ import annotations

import pytest

from devlint.document.draft import completed
from devlint.finding import Edit, Finding, Patch, Span
from devlint.server.buffer import Buffer, Part
from devlint.server.drafts import Draft


@pytest.mark.parametrize(
    ("typed", "text", "touched"),
    [
        ("x = 1\n", "x = 1\n", set()),
        ("x = y.\nz = 1\n", "pass\nz = 1\n", {1}),
        ("def f(a):\nz = 1\n", "def f(a): pass\nz = 1\n", {1}),
        ("def f(a):  # why\nz = 1\n", "pass\nz = 1\n", {1}),
        ("if x\n    y = 1\nz = 1\n", "if True:\n    y = 1\nz = 1\n", {1}),
        ("try:\n    y = 1\nz = 1\n", "if True:\n    y = 1\nz = 1\n", {1}),
        ("f(\n    y,\nz = 1\n", "if True:\n    y,\nz = 1\n", {1}),
    ],
)
def test_what_is_half_typed_is_completed(typed: str, text: str, touched: set[int]) -> None:
    assert completed(typed) == (text, frozenset(touched))


def test_more_than_a_statement_is_not() -> None:
    assert completed('"""\n' + "no python here\n" * 30) is None


def test_a_fix_stays_off_the_lines_that_were_touched() -> None:
    def finding(cell: int, line: int, end_line: int) -> Finding:
        span = Span(cell, line, 1, end_line, 1)
        fix = Patch("mend it", "safe", (Edit(span, "pass\n"),))
        return Finding("DEV101", "x", "x", "error", "n.ipynb", span, fix=fix)

    buffer = Buffer("n", "n.ipynb", (Part("c", 1, ""),), is_notebook=True)
    draft = Draft(buffer, frozenset({(2, 3)}))
    places = [(2, 1, 2), (2, 3, 3), (2, 1, 4), (1, 3, 3)]
    kept = [draft.told(finding(*place)).fix is not None for place in places]
    assert kept == [True, False, False, True]
