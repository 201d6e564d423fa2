"""A temporary variable for a part of a statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .places import placed
from .program import Program
from .sites import (
    OPERATIONS,
    Operand,
    Statements,
    is_named_by_convention,
    is_whole,
    operands,
    operation_of,
)
from .syntax import assigned, name


def temporary(program: Program) -> ast.Module | None:
    """Receivers and arguments have names before the call, their own parts before them."""
    return Temporaries(program).result()


class Temporaries(Statements):
    def put_before(self, statement: ast.stmt) -> list[ast.stmt]:
        place = operation_of(statement)
        if place is None:
            return []
        before = list(self.named(place.value, statement))
        if not before and is_kept(statement, place):
            before = [self.moved(place, statement)]
        self.is_changed |= bool(before)
        return before

    def named(self, node: ast.expr, statement: ast.stmt) -> Iterator[ast.stmt]:
        """The assignments of all operands that are no names yet."""
        for each in list(operands(node, self.constants)):
            if type(each.value) in OPERATIONS:
                yield from self.named(each.value, statement)
            if not isinstance(each.value, ast.Name):
                yield self.moved(each, statement)

    def moved(self, place: Operand, statement: ast.stmt) -> ast.stmt:
        word = next(self.words)
        place.put(placed(name(word), place.value.lineno))
        return placed(assigned(word, place.value), statement.lineno)


def is_kept(statement: ast.stmt, place: Operand) -> bool:
    """Whether a statement does something with the whole of its value, whatever that is called."""
    is_used = not isinstance(statement, ast.Expr) and is_whole(statement, place)
    return is_used and not is_named_by_convention(statement)
