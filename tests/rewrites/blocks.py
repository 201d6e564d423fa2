"""Blocks around code: `with`, `try`, and a function that the module calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from tests.laws.definition_order import DEFINITIONS, FUNCTIONS

from .places import placed
from .program import Program
from .syntax import (
    IMPORTS,
    body_start,
    call,
    dotted,
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
