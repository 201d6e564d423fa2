"""Functions that call what a program defines, with what they are given themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy

from .places import placed
from .program import Program
from .syntax import call, function, name


def caller(program: Program) -> ast.Module | None:
    """`def q1(x, y): return f(x, y)` behind `f`, and `def q1(q2: Net, x): return q2(x)` behind a
    class with a `forward`."""
    tree, words = program.tree(), program.words()
    made = {each: behind(each, words) for each in tree.body}
    if not any(made.values()):
        return None
    tree.body = [
        each for before, after in made.items() for each in (before, *(placed(a, 0) for a in after))
    ]
    return tree


def behind(statement: ast.stmt, words: Iterator[str]) -> list[ast.stmt]:
    if isinstance(statement, ast.FunctionDef) and is_plain(statement):
        return [calling(next(words), name(statement.name), deepcopy(statement.args))]
    if not isinstance(statement, ast.ClassDef):
        return []
    forward = [each for each in statement.body if is_forward(each)]
    return [of_module(next(words), next(words), statement, each) for each in forward]


def is_plain(node: ast.FunctionDef) -> bool:
    """Whether its name alone says how it is called."""
    return not node.decorator_list and not node.name.startswith("test")


def is_forward(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "forward" and is_plain(node)


def of_module(word: str, module: str, owner: ast.ClassDef, forward: ast.stmt) -> ast.FunctionDef:
    assert isinstance(forward, ast.FunctionDef)
    given = deepcopy(forward.args)
    given.args = given.args[1:]
    made = calling(word, name(module), given)
    made.args.args.insert(0, ast.arg(module, name(owner.name)))
    return made


def calling(word: str, callee: ast.expr, given: ast.arguments) -> ast.FunctionDef:
    """A function that takes the same, without annotations, and hands it on."""
    for each in ast.walk(given):
        if isinstance(each, ast.arg):
            each.annotation = None
    handed = call(callee, *(name(each.arg) for each in (*given.posonlyargs, *given.args)))
    if given.vararg:
        handed.args.append(ast.Starred(name(given.vararg.arg), ast.Load()))
    handed.keywords = [ast.keyword(each.arg, name(each.arg)) for each in given.kwonlyargs]
    if given.kwarg:
        handed.keywords.append(ast.keyword(None, name(given.kwarg.arg)))
    made = function(word, [], [ast.Return(handed)])
    made.args = given
    return made
