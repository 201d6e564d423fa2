"""An alias: variables have a second name that the program reads."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tests.laws.definition_order import FUNCTIONS
from tests.laws.known_names import conventions

from .places import placed
from .program import Program
from .syntax import (
    COMPREHENSIONS,
    SCOPES,
    Scope,
    assigned,
    body_start,
    every_parameter,
    everything_stored,
    name,
    own_nodes,
    scopes,
    shared_names,
    stored,
)

Names: TypeAlias = "Mapping[str, str]"
ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
BLOCKS = (ast.For, ast.With)


def alias(program: Program) -> ast.Module | None:
    """`y = x` follows each time that `x` is bound, and `y` is read instead of it.

    What devlint may know by its name keeps it.
    """
    tree, words = program.tree(), program.words()
    shared = shared_names(tree)
    is_changed = False
    for scope in scopes(tree):
        names = dict(zip(variables(scope, shared), words, strict=False))
        is_changed |= bool(names)
        with_aliases(scope, names)
    return tree if is_changed else None


def variables(scope: Scope, shared: set[str]) -> Iterator[str]:
    """Those of a scope that are bound where an alias may follow, and read."""
    nodes = list(own_nodes(scope))
    bound, seen = Counter(stored(nodes)), Counter(bound_in_view(scope, nodes))
    loads = {each.id for each in ast.walk(scope) if isinstance(each, ast.Name) and is_load(each)}
    for word in sorted(seen.keys() & loads - shared - {"self", "cls"}):
        if seen[word] == bound[word] and not conventions().know(word, is_member=False):
            yield word


def is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def bound_in_view(scope: Scope, nodes: list[ast.AST]) -> Iterator[str]:
    if isinstance(scope, FUNCTIONS):
        yield from (each.arg for each in every_parameter(scope))
    for node in nodes:
        yield from bound_by(node)


def bound_by(node: ast.AST) -> Iterator[str]:
    """The variables that a statement gives values to, once for each time."""
    if isinstance(node, ast.Assign):
        yield from targets(*node.targets)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)) and gives(node):
        yield from targets(node.target)
    elif isinstance(node, ast.With):
        yield from targets(*(each.optional_vars for each in node.items if each.optional_vars))


def gives(node: ast.stmt) -> bool:
    """Whether it gives a value, which `x: int` alone does not."""
    return not isinstance(node, ast.AnnAssign) or node.value is not None


def targets(*nodes: ast.expr) -> Iterator[str]:
    return (name for node in nodes for name in stored(ast.walk(node)))


def with_aliases(scope: Scope, names: Names) -> None:
    """Change the reads first: those that make the aliases stay."""
    reads, bindings = Reads(names), Bindings(names)
    for each in scope.body:
        reads.visit(each)
    bindings.generic_visit(scope)
    if isinstance(scope, FUNCTIONS):
        given = [each.arg for each in every_parameter(scope)]
        start = body_start(scope.body)
        scope.body[start:start] = aliases(names, given, scope.lineno)


def aliases(names: Names, bound: list[str], line: int) -> list[ast.stmt]:
    chosen = dict.fromkeys(each for each in bound if each in names)
    return [placed(assigned(names[each], name(each)), line) for each in chosen]


class Reads(ast.NodeVisitor):
    """Reads aliases, not in scopes that have variables of that name themselves."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, (*SCOPES, *COMPREHENSIONS)):
            own = everything_stored(node)
            Reads({k: v for k, v in self.names.items() if k not in own}).generic_visit(node)
        else:
            super().visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if is_load(node):
            node.id = self.names.get(node.id, node.id)


class Bindings(ast.NodeTransformer):
    """Puts the aliases after what binds variables in a scope."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        if isinstance(node, SCOPES):
            return node
        self.generic_visit(node)
        if isinstance(node, BLOCKS):
            node.body = [*aliases(self.names, [*bound_by(node)], node.lineno), *node.body]
        if isinstance(node, ASSIGNMENTS):
            return [node, *aliases(self.names, [*bound_by(node)], node.lineno)]
        return node
