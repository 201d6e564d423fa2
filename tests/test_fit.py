"""Lines that a fix would make too long are broken between arguments."""

from __future__ import annotations

import pytest

from devlint.lower import ir
from devlint.rule import changes
from tests.test_build import changed

LONG = "a_long_name_of_a_function_that_is_called"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"f({LONG}, {LONG})\n", f"f({LONG}, {LONG},\n  device=d)\n"),
        (
            f"if x:\n\ty = f({LONG}, {LONG})\n",
            f"if x:\n\ty = f({LONG}, {LONG},\n\t      device=d)\n",
        ),
        (f"f(\n  {LONG}, {LONG}\n)\n", f"f(\n  {LONG}, {LONG},\n  device=d\n)\n"),
        (f"f({LONG}, {LONG})\r\n", f"f({LONG}, {LONG},\r\n  device=d)\r\n"),
        # Too long all the same.
        (f"x{LONG}[f(1)[{LONG}]]\n", f"x{LONG}[f(1, device=d)[{LONG}]]\n"),
        # As long as others of the file, or long only by a comment.
        (f"f({LONG}, {LONG})\n# {LONG * 3}\n", f"f({LONG}, {LONG}, device=d)\n# {LONG * 3}\n"),
        (f"f({LONG})  # {LONG}\n", f"f({LONG}, device=d)  # {LONG}\n"),
    ],
)
def test_new_argument_stands_below_the_first(text: str, expected: str) -> None:
    assert (
        changed(text, ir.Call, lambda call: changes.with_keyword(call, "device", "d")) == expected
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"f(y[0], {LONG})\n", f"f({LONG + LONG},\n  {LONG})\n"),
        (f"f(y[0] , {LONG})  # why\n", f"f({LONG + LONG} ,\n  {LONG})  # why\n"),
        (f"f(\n    y[0], {LONG}\n)\n", f"f(\n    {LONG + LONG},\n    {LONG}\n)\n"),
        (f"f(y[0], a, {LONG})\n", f"f({LONG + LONG}, a,\n  {LONG})\n"),
        (f"f({LONG}, y[0])\n", f"f({LONG}, {LONG + LONG})\n"),
        (f"x = y[0], {LONG}\n", f"x = {LONG + LONG}, {LONG}\n"),
    ],
)
def test_line_is_broken_behind_an_argument_that_grows(text: str, expected: str) -> None:
    assert changed(text, ir.Subscript, lambda node: changes.replaced(node, LONG + LONG)) == expected
