"""Places of a text are found again after edits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from devlint.finding import Edit, Span
from devlint.text.line_shift import Shift
from devlint.text.source_text import NEWLINE, edited

TEXTS = st.text("ab\n\r", max_size=8)


def place(text: str, offset: int) -> tuple[int, int]:
    *above, last = NEWLINE.split(text[:offset])
    return len(above) + 1, len(last) + 1


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=4), TEXTS)
def test_what_is_not_edited_is_found_again(parts: list[tuple[str, str, str]], rest: str) -> None:
    """Each part is kept text, text that is replaced, and what replaces it."""
    before = "".join(f"x{kept}y{old}z" for kept, old, _ in parts) + rest
    after = "".join(f"x{kept}y{new}z" for kept, _, new in parts) + rest
    edits, marks, old_at, new_at = [], [], 0, 0
    for kept, old, new in parts:
        start = old_at + len(kept) + 2
        span = Span(None, *place(before, start), *place(before, start + len(old)))
        edits.append(Edit(span, new))
        marks += [(old_at, new_at), (start - 1, new_at + len(kept) + 1)]
        old_at, new_at = start + len(old) + 1, new_at + len(kept) + len(new) + 3
    assert edited(before, edits) == after
    shift = Shift(edits)
    for old_mark, new_mark in marks:
        line, column = place(before, old_mark)
        region = shift.region(Span(None, line, column, line, column))
        assert region.start == region.end == place(after, new_mark)


def test_what_is_replaced_may_be_all_over_the_new_text() -> None:
    region = Shift([Edit(Span(1, 2, 3, 2, 6), "a\nbc")]).region(Span(1, 2, 4, 2, 4))
    assert (region.cell, *region.start, *region.end) == (1, 2, 3, 3, 3)
    assert region.holds(Span(1, 3, 1, 3, 2))
    assert not region.holds(Span(2, 3, 1, 3, 2))


def test_edits_of_other_cells_move_nothing() -> None:
    region = Shift([Edit(Span(1, 1, 1, 1, 1), "a\n")]).region(Span(2, 5, 1, 5, 1))
    assert region.start == region.end == (5, 1)
