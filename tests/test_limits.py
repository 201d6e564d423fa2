"""What must not reach LibCST is named, and what may is lowered by both front ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

from devlint.lower.limits import obstacle

LOWER_BOTH = """
import sys
from devlint.lower import from_ast, from_cst
from devlint.lower.limits import RECURSION_LIMIT
sys.setrecursionlimit(RECURSION_LIMIT)
text = sys.stdin.read()
from_ast.lower(text)
lowered = from_cst.lower(text)
lowered.spans(lowered.module.body)
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(" * 1300 + ")" * 1300, "brackets nest 1,300 deep (at most 150)"),
        ("f'{" + "(" * 1000 + ")" * 1000 + "}'", "brackets nest 1,001 deep (at most 150)"),
        ("a" + " + a" * 5000, "an expression has a chain of 5,000 operations (at most 500)"),
        ("f'{a" + "+a" * 5000 + "}'", "an expression has a chain of 5,001 operations"),
        ("a" + ".b()" * 1000, "an expression has a chain of 2,000 operations (at most 500)"),
        ("x = (" + "'a'\n" * 3100 + ")", "an expression has a chain of 3,102 operations"),
        ("- " * 3000 + "a", "an expression has a chain of 3,000 operations (at most 500)"),
        ("not " * 3000 + "a", "an expression has a chain of 3,000 operations (at most 500)"),
        ("lambda a, b: " * 3000 + "a", "an expression has a chain of 3,000 operations"),
        ("a if b else " * 2000 + "c", "an expression has a chain of 4,000 operations"),
        (("- " * 400 + "f(") * 20 + ")" * 20, "an expression has a chain of 8,020 operations"),
        ("if a: b\n" + "elif a: b\n" * 3000, "an if statement has 3,000 branches (at most 500)"),
        (
            "match x:\n case " + "[" * 100 + "]" * 100 + ": pass",
            "brackets nest 100 deep in a pattern (at most 16)",
        ),
        (
            "".join(" " * depth + "if a:\n" for depth in range(101)) + " " * 101 + "b",
            "blocks nest 101 deep (at most 100)",
        ),
        ("#" * 1_000_001, "1,000,001 characters long (at most 1,000,000)"),
    ],
)
def test_an_obstacle_is_named(text: str, reason: str) -> None:
    assert (obstacle(text) or "").startswith(reason)


@pytest.mark.parametrize(
    "text",
    [
        "'" + "(" * 1000 + "'",
        "'''" + "(\n" * 1000 + "\\''' '''",
        "# " + "(" * 1000,
        "f'{{" + "(" * 1000 + "'",
        "x = [" + "1, " * 5000 + "]",
        "x = -1\n" * 5000,
        "x = {" + "1: lambda a, b: a + b, " * 1000 + "}",
        "a; " * 2000,
        "if a: b\nelif c: d\n" * 1000,
        "f(')')\n" * 1000,
        'f"{x!r:{"("}}"\ndef f(): pass\n' * 500,
    ],
)
def test_what_is_long_but_flat_passes(text: str) -> None:
    assert obstacle(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 149 + "a" + ")" * 149,
        "x = " + "f(a, b, *c, k=" * 140 + "1" + ")" * 140,
        "x = a" + " + a" * 498,
        "x = a" + ".b()" * 249,
        "x = a" + "[0]" * 498,
        "x = " + "- " * 498 + "a",
        "x = " + "not " * 498 + "a",
        "x = " + "lambda a, b: " * 498 + "a",
        "x = " + "a if b else " * 249 + "c",
        "x = " + "a ** " * 498 + "c",
        "x = (" + "f'{a}'\n" * 498 + ")",
        "if a: b\n" + "elif a: b\n" * 499,
        "match x:\n case " + "[" * 16 + "]" * 16 + ": pass",
        "".join(" " * depth + "if a:\n" for depth in range(99)) + " " * 99 + "b",
        "@a\n" * 3000 + "def f(): pass",
    ],
)
def test_what_passes_is_lowered(text: str) -> None:
    assert obstacle(text) is None
    command = [sys.executable, "-c", LOWER_BOTH]
    subprocess.run(command, input=text, text=True, check=True, timeout=60)
