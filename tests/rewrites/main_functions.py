"""A script moved into a function that the module calls at its end."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tests.laws.definition_order import DEFINITIONS

from .program import Program
from .syntax import IMPORTS, call, everything_stored, function, name, preamble


def in_main(program: Program) -> ast.Module | None:
    """The end of the script moves that shares no variable with what stays.

    Not if a function makes variables of the module, or if what comes after the start of it does
    more than define.
    """
    tree = program.tree()
    script = own_variables(tree)
    if not script or any(isinstance(each, ast.Global) for each in ast.walk(tree)):
        return None
    first = tree.body.index(script[0])
    if not all(each in script or is_passive(each) for each in tree.body[first:]):
        return None
    word = next(program.words())
    rest = [each for each in tree.body if each not in script]
    tree.body = [*rest, function(word, [], script), ast.Expr(call(name(word)))]
    return tree


def own_variables(tree: ast.Module) -> list[ast.stmt]:
    """The longest end of the script whose variables it alone binds and reads."""
    body = tree.body[preamble(tree) :]
    around = [each for each in body if is_definition(each)]
    script = [each for each in body if not is_definition(each)]
    taken = words(around)
    while script and not taken.isdisjoint(everything_stored(*script)):
        first, *script = script
        taken |= everything_stored(first)
    return script


def is_definition(statement: ast.stmt) -> bool:
    return isinstance(statement, (*IMPORTS, *DEFINITIONS))


def words(body: Iterable[ast.stmt]) -> set[str]:
    """The names that definitions make or read."""
    parts = [part for each in body for part in ast.walk(each)]
    read = {each.id for each in parts if isinstance(each, ast.Name)}
    return read | everything_stored(*body)


def is_passive(statement: ast.stmt) -> bool:
    """Whether it may as well come before the script: an import, a definition that calls nothing."""
    pending: list[ast.AST] = [statement]
    while pending:
        part = pending.pop()
        is_decorated = isinstance(part, DEFINITIONS) and part.decorator_list
        if is_decorated or isinstance(part, (ast.Call, ast.For, ast.With)):
            return False
        body = part.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
        pending += (each for each in ast.iter_child_nodes(part) if each not in body)
    return is_definition(statement)
