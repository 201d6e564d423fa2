"""Sites: the statements whose value a rewriting may change, and the operation in it."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.laws.definition_order import DEFINITIONS
from tests.laws.known_names import conventions
from tests.laws.renaming import root

from .program import Program
from .syntax import TIED, constant_names, free, is_tied, shared_names

#: The field of a statement whose expression comes first when it runs.
HEADS = {
    ast.Expr: "value",
    ast.Assign: "value",
    ast.AnnAssign: "value",
    ast.AugAssign: "value",
    ast.Return: "value",
    ast.For: "iter",
    ast.If: "test",
}
#: Where the operands of an operation are, in the order in which they are evaluated.
OPERATIONS = {
    ast.Call: (),
    ast.BinOp: ("left", "right"),
    ast.Compare: (),
    ast.Subscript: ("value", "slice"),
    ast.Attribute: ("value",),
    ast.UnaryOp: ("operand",),
}
#: What is no value of its own, or belongs where it stands.
BOUND = (ast.Constant, ast.Lambda, ast.GeneratorExp, ast.Starred, ast.Slice, *TIED)
#: What does nothing when it is evaluated.
PASSIVE = (ast.Constant, ast.Name, ast.Attribute, ast.Lambda)


class Operand(NamedTuple):
    """An expression, and how another one comes to stand in its place."""

    value: ast.expr
    put: Callable[[ast.expr], None]


class Statements(ABC, ast.NodeTransformer):
    """Rewrites the telling statements of functions and of the module; class bodies stay."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.words = program.words()
        self.tree = program.tree()
        self.constants = constant_names(self.tree)
        self.shared = shared_names(self.tree)
        self.is_changed = False

    def result(self) -> ast.Module | None:
        tree = self.visit(self.tree)
        assert isinstance(tree, ast.Module)
        return tree if self.is_changed else None

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        for each in list(node.body):
            if isinstance(each, DEFINITIONS):
                self.visit(each)
        return node

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        changed = super().visit(node)
        assert isinstance(changed, ast.AST)
        if isinstance(changed, ast.stmt) and self.is_chosen(changed):
            return [*self.put_before(changed), changed]
        return changed

    def is_chosen(self, statement: ast.stmt) -> bool:
        """Not with variables that a function which it calls may bind in the midst of it."""
        if not is_site(statement) or not self.program.is_telling(statement):
            return False
        return self.shared.isdisjoint(free(value_of(statement).value))

    @abstractmethod
    def put_before(self, statement: ast.stmt) -> list[ast.stmt]:
        """Change a statement, and say so in `is_changed`; what is to stand before it."""


def is_site(statement: ast.stmt) -> bool:
    """Whether its value is what it evaluates first."""
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.target, PASSIVE)
    return type(statement) in HEADS and getattr(statement, HEADS[type(statement)]) is not None


def value_of(statement: ast.stmt) -> Operand:
    return part(statement, HEADS[type(statement)])


def operation_of(statement: ast.stmt) -> Operand | None:
    """The outermost operation among what is evaluated first in a statement."""
    place: Operand | None = value_of(statement)
    while place is not None and type(place.value) not in OPERATIONS:
        place = first_part(place.value)
    return None if place is None or is_tied(place.value) else place


def first_part(node: ast.expr) -> Operand | None:
    """What is evaluated before all else in it."""
    if isinstance(node, (ast.Tuple, ast.List)):
        items = (item(node.elts, at) for at in range(len(node.elts)))
        return next((each for each in items if not isinstance(each.value, PASSIVE)), None)
    if isinstance(node, ast.IfExp):
        return part(node, "test")
    return item(node.values, 0) if isinstance(node, ast.BoolOp) else None


def operands(node: ast.expr, constants: set[str]) -> Iterator[Operand]:
    """The values in an operation that may just as well be evaluated right before it."""
    for each in parts(node):
        if is_value(each.value, constants):
            yield each
        elif not isinstance(each.value, PASSIVE):
            return


def parts(node: ast.expr) -> Iterator[Operand]:
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name):
            is_method = isinstance(node.func, ast.Attribute)
            yield part(node.func, "value") if is_method else part(node, "func")
        yield from (item(node.args, at) for at in range(len(node.args)))
        yield from (part(each, "value") for each in node.keywords)
    elif isinstance(node, ast.Compare):
        yield part(node, "left")
        yield item(node.comparators, 0)
    else:
        yield from (part(node, field) for field in OPERATIONS[type(node)])


def part(node: ast.AST, field: str) -> Operand:
    return Operand(getattr(node, field), lambda value: setattr(node, field, value))


def item(nodes: list[ast.expr], at: int) -> Operand:
    def put(value: ast.expr) -> None:
        nodes[at] = value

    return Operand(nodes[at], put)


def is_value(node: ast.expr, constants: set[str]) -> bool:
    """Whether it is no constant, no module, function or class, and stands for itself.

    What devlint may know by its name keeps it.
    """
    if isinstance(node, (ast.Name, ast.Attribute)):
        is_own = root(node) not in constants and not is_convention(node)
        return is_own and not (isinstance(node, ast.Name) and node.id in ("self", "cls"))
    pieces = node.elts if isinstance(node, ast.Tuple) else [node]
    return not (any(isinstance(each, BOUND) for each in pieces) or is_tied(node) or not free(node))


def is_convention(node: ast.expr) -> bool:
    """Whether its last name is one of devlint's lists."""
    return conventions().know(ast.unparse(node).rpartition(".")[2], is_member=False)


def is_whole(statement: ast.stmt, place: Operand) -> bool:
    """Whether something is all of a statement's value."""
    return value_of(statement).value is place.value


def is_named_by_convention(statement: ast.stmt) -> bool:
    """Whether a statement gives a name to its value that says something of it."""
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return any(
        isinstance(each, (ast.Name, ast.Attribute)) and is_convention(each) for each in targets
    )
