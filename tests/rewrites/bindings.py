"""Values between two lines: under a temporary name, or in a tuple, a list or a dict."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

from .places import placed
from .program import Program
from .sites import (
    OPERATIONS,
    Operand,
    Statements,
    is_named_by_convention,
    is_value,
    is_whole,
    operands,
    operation_of,
    value_of,
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


class Boxes(Statements):
    """The operands of a statement's operation go through a container, else the whole value."""

    def put_before(self, statement: ast.stmt) -> list[ast.stmt]:
        places = self.places(statement)
        if not places:
            return []
        self.is_changed = True
        return [placed(each, statement.lineno) for each in self.through(places)]

    def places(self, statement: ast.stmt) -> list[Operand]:
        place = operation_of(statement)
        found = [] if place is None else list(operands(place.value, self.constants))
        whole = value_of(statement)
        is_moved = is_kept(statement, whole) and is_value(whole.value, self.constants)
        return found or [whole] * (is_moved and not isinstance(statement, ast.If))

    @abstractmethod
    def through(self, places: Sequence[Operand]) -> list[ast.stmt]:
        """The statements that put values in and take them out."""


class Tuples(Boxes):
    """`q1 = (x, y)`, `q2, q3 = q1`."""

    def through(self, places: Sequence[Operand]) -> list[ast.stmt]:
        box, *words = (next(self.words) for _ in range(len(places) + 1))
        packed = ast.Tuple([each.value for each in places], ast.Load())
        targets: list[ast.expr] = [ast.Name(word, ast.Store()) for word in words]
        for place, word in zip(places, words, strict=True):
            place.put(placed(name(word), place.value.lineno))
        unpacked = ast.Assign(targets=[ast.Tuple(targets, ast.Store())], value=name(box))
        return [assigned(box, packed), unpacked]


class Lists(Boxes):
    """`q1 = [x, y]`, then `q1[0]`."""

    def through(self, places: Sequence[Operand]) -> list[ast.stmt]:
        box = next(self.words)
        packed = ast.List([each.value for each in places], ast.Load())
        taken(box, places, list(range(len(places))))
        return [assigned(box, packed)]


class Dicts(Boxes):
    """`q1 = {"a": x, "b": y}`, then `q1["a"]`."""

    def through(self, places: Sequence[Operand]) -> list[ast.stmt]:
        box = next(self.words)
        keys = [f"key_{at}" for at in range(len(places))]
        texts: list[ast.expr | None] = [ast.Constant(key) for key in keys]
        packed = ast.Dict(texts, [each.value for each in places])
        taken(box, places, keys)
        return [assigned(box, packed)]


def taken(box: str, places: Sequence[Operand], keys: Sequence[int | str]) -> None:
    """Items of a container stand where its values stood."""
    for place, key in zip(places, keys, strict=True):
        item = ast.Subscript(name(box), ast.Constant(key), ast.Load())
        place.put(placed(item, place.value.lineno))


def through(kind: type[Boxes]) -> Callable[[Program], ast.Module | None]:
    return lambda program: kind(program).result()
