"""Order of calls: a call that nothing is found at, made six times more, loses no finding."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .definition_order import lines_of
from .examples import Example
from .law import Faults, lost, of_each
from .same_line import put_before

CALLS = 6


def faults(example: Example) -> Faults:
    clean = {place(each): f"{ast.unparse(each)}; " * CALLS for each in clean_statements(example)}
    if not clean or not example.places:
        return None
    return lost(example, put_before(example.code, clean))


LAW = of_each("order-repeats", faults)


def place(statement: ast.stmt) -> tuple[int, int]:
    return statement.lineno, statement.col_offset


def clean_statements(example: Example) -> Iterator[ast.stmt]:
    """The calls on the level of the module at which there is no finding."""
    assert example.tree is not None
    found = {line for line, _ in example.places}
    for statement in example.tree.body:
        is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        if is_call and found.isdisjoint(lines_of(statement)):
            yield statement
