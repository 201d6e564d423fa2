"""What code stands in: `with`, `try`, a function that the module calls, another file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from tests.laws.definition_order import DEFINITIONS, FUNCTIONS

from .places import placed
from .program import Program
from .syntax import (
    IMPORTS,
    body_start,
    call,
    dotted,
    everything_stored,
    function,
    name,
    preamble,
    with_import,
)

Around = Callable[[list[ast.stmt]], ast.stmt]


def in_with(program: Program) -> ast.Module | None:
    """`with contextlib.nullcontext():`"""
    tree = wrapped(program.tree(), with_nothing)
    return with_import(tree, "contextlib")


def in_try(program: Program) -> ast.Module | None:
    """`try: ... finally: pass`"""
    return wrapped(program.tree(), tried)


def with_nothing(body: list[ast.stmt]) -> ast.stmt:
    item = ast.withitem(call(dotted("contextlib.nullcontext")))
    return ast.With(items=[item], body=body)


def tried(body: list[ast.stmt]) -> ast.stmt:
    return ast.Try(body=body, handlers=[], orelse=[], finalbody=[ast.Pass()])


def wrapped(tree: ast.Module, around: Around) -> ast.Module:
    """Each body of a function, and what the module does between definitions, in a block."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            start = body_start(node.body)
            node.body[start:] = [around(node.body[start:])] if node.body[start:] else []
    start = preamble(tree)
    tree.body[start:] = [*runs(tree.body[start:], around)]
    return placed(tree, 0)


def runs(body: Sequence[ast.stmt], around: Around) -> Iterator[ast.stmt]:
    run: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, (*IMPORTS, *DEFINITIONS)):
            yield from [around(run)] if run else []
            yield statement
            run = []
        else:
            run.append(statement)
    yield from [around(run)] if run else []


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


def other_file(program: Program) -> ast.Module | None:
    """Functions and classes that read no variable of the module are imported from `parts`."""
    tree = program.tree()
    gone = [each for each in tree.body if isinstance(each, DEFINITIONS)]
    kept = everything_stored(*(each for each in tree.body if not is_definition(each)))
    while staying := [each for each in gone if not kept.isdisjoint(words([each]))]:
        kept |= {each.name for each in staying}
        gone = [each for each in gone if each not in staying]
    if not gone or len({each.name for each in gone}) < len(gone):
        return None
    tree.body = [each for each in tree.body if each not in gone]
    aliases = [ast.alias(each.name) for each in gone]
    tree.body.insert(preamble(tree), ast.ImportFrom("parts", aliases, 0))
    return tree
