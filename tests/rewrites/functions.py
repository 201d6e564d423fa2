"""Operations moved into a function: a helper, a lambda, a method."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence

from tests.laws.definition_order import FUNCTIONS

from .places import placed
from .program import Program
from .sites import Operand, Statements, is_named_by_convention, is_whole, operation_of
from .syntax import (
    Function,
    assigned,
    call,
    class_of,
    everything_stored,
    free,
    function,
    imported,
    name,
    own_nodes,
    parameters,
    scopes,
    with_parameters,
)


class Moved(Statements):
    """The operation of a statement becomes what a function returns that is called instead."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        #: What is to stand before the statement of the module that is looked at.
        self.made: list[ast.stmt] = []
        functions = scopes(self.tree)[1:]
        self.variables = everything_stored(self.tree) - self.constants
        self.local_imports = {name for each in functions for name in imported(each)}

    def visit_Module(self, node: ast.Module) -> ast.Module:  # noqa: N802
        body: list[ast.stmt] = []
        for each in node.body:
            changed = self.visit(each)
            body += [*self.made, *(changed if isinstance(changed, list) else [changed])]
            self.made.clear()
        node.body = body
        return node

    def put_before(self, statement: ast.stmt) -> list[ast.stmt]:
        place = operation_of(statement)
        if place and self.is_movable(statement, place):
            self.is_changed = True
            names = list(free(place.value))
            given = [each for each in names if each in self.variables]
            place.put(placed(self.called(statement, place, given), place.value.lineno))
        return []

    def is_movable(self, statement: ast.stmt, place: Operand) -> bool:
        """Whether a function of the module may do it, and nothing but its place says what it is."""
        if is_whole(statement, place) and is_named_by_convention(statement):
            return False
        names = free(place.value)
        return bool(names) and self.local_imports.isdisjoint(names)

    @abstractmethod
    def called(self, statement: ast.stmt, place: Operand, names: Sequence[str]) -> ast.expr:
        """The call, after making what it calls."""

    def body(self, statement: ast.stmt, place: Operand) -> list[ast.stmt]:
        """Of the function: a statement of its own stays one."""
        is_statement = isinstance(statement, ast.Expr) and is_whole(statement, place)
        kind = ast.Expr if is_statement else ast.Return
        return [placed(kind(place.value), statement.lineno)]


class Helpers(Moved):
    """`def q1(x, y): return x + y` before, and `q1(x, y)`."""

    def called(self, statement: ast.stmt, place: Operand, names: Sequence[str]) -> ast.expr:
        word = next(self.words)
        self.made.append(function(word, names, self.body(statement, place)))
        return call(name(word), *map(name, names))


class Lambdas(Moved):
    """`q1 = lambda x, y: x + y` before, and `q1(x, y)`."""

    def called(self, statement: ast.stmt, place: Operand, names: Sequence[str]) -> ast.expr:
        word = next(self.words)
        self.made.append(assigned(word, ast.Lambda(with_parameters(names), place.value)))
        return call(name(word), *map(name, names))


class Methods(Moved):
    """`self.q1(x, y)` in a method, elsewhere `Q1().q2(x, y)` with a small class."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.owners = owners(self.tree)

    def called(self, statement: ast.stmt, place: Operand, names: Sequence[str]) -> ast.expr:
        word = next(self.words)
        free_word = next(self.words) if "self" in names else "self"
        owner, instance = self.owners.get(statement, (None, free_word))
        rest = [each for each in names if each != instance]
        method = function(word, [instance, *rest], self.body(statement, place))
        if owner:
            owner.body.append(method)
        receiver = name(instance) if owner else self.instance(method)
        return call(ast.Attribute(receiver, word, ast.Load()), *map(name, rest))

    def instance(self, method: Function) -> ast.expr:
        """One of a new class."""
        word = next(self.words).upper()
        self.made.append(class_of(word, [], [method]))
        return call(name(word))


def owners(tree: ast.Module) -> dict[ast.AST, tuple[ast.ClassDef | None, str]]:
    """The class and the word for the instance, for each statement of a method."""
    found: dict[ast.AST, tuple[ast.ClassDef | None, str]] = {}
    for owner in ast.walk(tree):
        if isinstance(owner, ast.ClassDef):
            for method in filter(is_method, owner.body):
                assert isinstance(method, FUNCTIONS)
                word = parameters(method)[0].arg
                found |= dict.fromkeys(own_nodes(method), (owner, word))
    return found


def is_method(node: ast.stmt) -> bool:
    """Whether its first argument is an instance of its class."""
    if not isinstance(node, FUNCTIONS) or not parameters(node) or node.name == "__new__":
        return False
    return not any(ast.unparse(each).endswith("method") for each in node.decorator_list)


def helper(program: Program) -> ast.Module | None:
    return Helpers(program).result()


def method(program: Program) -> ast.Module | None:
    return Methods(program).result()


def anonymous(program: Program) -> ast.Module | None:
    """Functions of one `return` become lambdas; where there are none, an operation does."""
    return lambdas(program) or Lambdas(program).result()


def lambdas(program: Program) -> ast.Module | None:
    tree = program.tree()
    shortened = Shortened()
    shortened.visit(tree)
    return tree if shortened.is_changed else None


class Shortened(ast.NodeTransformer):
    """`f = lambda x: e` for `def f(x): return e`."""

    is_changed = False

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        body = node.body[0]
        if len(node.body) > 1 or not isinstance(body, ast.Return) or is_explicit(node):
            return node
        self.is_changed = True
        made = ast.Lambda(node.args, body.value or ast.Constant(None))
        return placed(ast.copy_location(assigned(node.name, made), node), node.lineno)


def is_explicit(node: ast.FunctionDef) -> bool:
    """Whether a lambda cannot say all that a definition says, or is named by it."""
    annotated = [each for each in ast.walk(node.args) if getattr(each, "annotation", None)]
    return bool(node.decorator_list or node.returns or annotated)
