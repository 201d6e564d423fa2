"""A comprehension for a loop that appends, and a loop for a comprehension."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .places import placed
from .program import Program
from .syntax import TIED, call, everything_stored, name, own_nodes, scopes


def comprehension(program: Program) -> ast.Module | None:
    """`xs = [e for x in y]` for `xs = []` and a loop that appends, and the other way round."""
    tree, is_changed = program.tree(), False
    for scope in scopes(tree):
        for node in (scope, *own_nodes(scope)):
            for body in blocks(node):
                made = list(turned(body, scope))
                is_changed |= made != body
                body[:] = made
    return tree if is_changed else None


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a statement, those of classes aside."""
    fields = () if isinstance(node, ast.ClassDef) else ("body", "orelse", "finalbody")
    found = (getattr(node, field, None) for field in fields)
    return (each for each in found if isinstance(each, list))


def turned(body: list[ast.stmt], scope: ast.AST) -> Iterator[ast.stmt]:
    rest = list(body)
    while rest:
        first = rest.pop(0)
        if rest and is_built(first, rest[0], scope):
            yield collected(first, rest.pop(0))
        elif is_collected(first, scope):
            yield from built(first)
        else:
            yield first


def is_built(first: ast.stmt, loop: ast.stmt, scope: ast.AST) -> bool:
    """Whether a list is begun and the loop does nothing but append to it, once each time."""
    word = begun(first)
    if not word or not isinstance(loop, ast.For) or loop.orelse:
        return False
    value = appended(loop.body, word)
    if value is None or any(isinstance(each, TIED) for each in ast.walk(loop)):
        return False
    is_own = all(is_within(each, loop, scope) for each in everything_stored(loop))
    return is_own and not any(reads(each, word) for each in (loop.iter, value))


def begun(statement: ast.stmt) -> str:
    """The name of a list that is empty yet."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.List):
        return ""
    target = statement.targets[0]
    is_one = len(statement.targets) == 1 and not statement.value.elts
    return target.id if is_one and isinstance(target, ast.Name) else ""


def appended(body: list[ast.stmt], word: str) -> ast.expr | None:
    """What a body appends to a list, where that is all that it does."""
    only = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
    is_append = isinstance(only, ast.Call) and ast.unparse(only.func) == f"{word}.append"
    return only.args[0] if isinstance(only, ast.Call) and is_append else None


def is_within(word: str, part: ast.AST, scope: ast.AST) -> bool:
    """Whether a variable is one of this part of the program alone."""
    return uses(word, part) == uses(word, scope)


def uses(word: str, part: ast.AST) -> int:
    names = (each for each in ast.walk(part) if isinstance(each, (ast.Name, ast.arg)))
    return sum(word == (each.id if isinstance(each, ast.Name) else each.arg) for each in names)


def reads(node: ast.AST, word: str) -> bool:
    return uses(word, node) > 0


def collected(first: ast.stmt, loop: ast.stmt) -> ast.stmt:
    assert isinstance(loop, ast.For)
    value = appended(loop.body, begun(first))
    assert value is not None
    around = ast.comprehension(target=loop.target, iter=loop.iter, ifs=[], is_async=0)
    made = placed(ast.ListComp(value, [around]), loop.lineno)
    return ast.copy_location(
        ast.Assign(targets=[ast.Name(begun(first), ast.Store())], value=made), first
    )


def is_collected(statement: ast.stmt, scope: ast.AST) -> bool:
    """Whether it gives a name to what a comprehension makes, with no variable of other code."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.ListComp):
        return False
    target, value = statement.targets[0], statement.value
    is_plain = len(statement.targets) == 1 and isinstance(target, ast.Name)
    is_own = all(is_within(each, value, scope) for each in everything_stored(value))
    is_simple = len(value.generators) == 1 and not value.generators[0].is_async
    return is_plain and is_own and is_simple and not reads(value, ast.unparse(target))


def built(statement: ast.stmt) -> list[ast.stmt]:
    assert isinstance(statement, ast.Assign)
    value, target = statement.value, statement.targets[0]
    assert isinstance(value, ast.ListComp)
    around, word = value.generators[0], ast.unparse(target)
    added = ast.Attribute(name(word), "append", ast.Load())
    body: ast.stmt = ast.Expr(call(added, value.elt))
    for test in reversed(around.ifs):
        body = ast.If(test=test, body=[body], orelse=[])
    loop = ast.For(target=around.target, iter=around.iter, body=[body], orelse=[])
    start = ast.Assign(targets=[target], value=ast.List([], ast.Load()))
    return [placed(each, statement.lineno) for each in (start, loop)]
