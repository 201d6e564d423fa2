"""Lowering by the parser of the running Python.

Before Python 3.12 `ast` misplaces what stands inside an f-string.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from devlint.finding import Span
from devlint.lower import ir
from devlint.lower.ast_expression import (
    BINARY,
    expression,
    expressions,
    keywords,
    optional,
    parameters,
)
from devlint.lower.ast_pattern import asked, lower_pattern
from devlint.lower.lowered import Lowered, Pattern, Position, Seen, assigned, packed, unpacked
from devlint.lower.walk import walk
from devlint.text.source_text import NEWLINE


def lower(text: str, number: int | None = None) -> Lowered:
    """Raises what `compile` raises: SyntaxError, ValueError, RecursionError, MemoryError.

    With a `number`, by which nodes tell of which text they are, the syntax tree is not kept: it is
    most of what a text weighs.
    """
    text = text.removeprefix("\ufeff")
    with warnings.catch_warnings():
        # An invalid escape in the linted file is no concern of whoever runs devlint.
        warnings.simplefilter("ignore")
        tree = compile(text, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    seen = Seen()
    body = _block(tree.body, seen)
    module = ir.Module(tree, body, frozenset(seen))
    if number is not None:
        _let_go(module, number)
    return Lowered(module, partial(_spans, text))


def compiles(text: str) -> bool:
    """Whether the running Python takes a text, as a file or in a notebook."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text.removeprefix("\ufeff"), "<source>", "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return False
    return True


def _spans(text: str, nodes: Iterable[ir.Node]) -> dict[ir.Node, Span]:
    lines = NEWLINE.split(text)

    def column(line: int, offset: int) -> int:
        content = lines[line - 1]
        return 1 + (offset if content.isascii() else len(content.encode()[:offset].decode()))

    def span(at: Any) -> Span:
        start, first, end, last = unpacked(at) if isinstance(at, int) else _position(at)
        return Span(None, start, column(start, first), end, column(end, last))

    return {node: span(node.at) for node in nodes}


def _position(at: Any) -> Position:
    if isinstance(at, ast.Module):
        return Position(1, 0, 1, 0)
    first, last = at if isinstance(at, tuple) else (at, at)
    return Position(first.lineno, first.col_offset, last.end_lineno, last.end_col_offset)


def _let_go(module: ir.Module, number: int) -> None:
    """Have nodes know their positions alone; those that share their syntax share them, too."""
    nodes = list(walk(module))
    positions = {id(node.at): packed(number, *_position(node.at)) for node in nodes}
    for node in nodes:
        node.at = positions[id(node.at)]


def _block(body: Sequence[ast.stmt], seen: Seen) -> ir.Block:
    return tuple(
        [
            statement
            for node in body
            if (statement := _STATEMENTS[node.__class__](node, seen)) is not None
        ]
    )


def _targets(nodes: list[ast.expr], seen: Seen) -> tuple[ir.Expression, ...]:
    return tuple([seen.store(expression(node, seen)) for node in nodes])


def _assign(node: ast.Assign, seen: Seen) -> ir.Assign | ir.Def:
    before, targets = len(seen), _targets(node.targets, seen)
    value = expression(node.value, seen)
    return assigned(node, targets, value, lambda: frozenset(seen[before:]))


def _annotated_assign(node: ast.AnnAssign, seen: Seen) -> ir.Assign | ir.Declare | None:
    if node.value is None:
        if not isinstance(node.target, ast.Name):
            return None
        return ir.Declare(node, node.target.id, expression(node.annotation, seen))
    targets = _targets([node.target], seen)
    annotation = expression(node.annotation, seen)
    return ir.Assign(node, targets, expression(node.value, seen), annotation)


def _augmented_assign(node: ast.AugAssign, seen: Seen) -> ir.AugmentedAssign:
    target = seen.store(expression(node.target, seen))
    value = expression(node.value, seen)
    return ir.AugmentedAssign(node, target, BINARY[node.op.__class__], value)


def _type_alias(node: Any, seen: Seen) -> ir.Assign:
    _type_parameters(node, seen)
    return ir.Assign(node, (expression(node.name, seen),), expression(node.value, seen))


def _type_parameters(node: Any, seen: Seen) -> None:
    # Bounds and defaults are evaluated only when asked for; the names are all that matters.
    seen.extend([parameter.name for parameter in getattr(node, "type_params", ())])


def _evaluate(node: ast.Expr, seen: Seen) -> ir.Evaluate:
    return ir.Evaluate(node, expression(node.value, seen))


def _return(node: ast.Return, seen: Seen) -> ir.Return:
    return ir.Return(node, optional(node.value, seen))


def _raise(node: ast.Raise, seen: Seen) -> ir.Raise:
    return ir.Raise(node, optional(node.exc, seen), optional(node.cause, seen))


def _assert(node: ast.Assert, seen: Seen) -> ir.Assert:
    return ir.Assert(node, expression(node.test, seen), optional(node.msg, seen))


def _delete(node: ast.Delete, seen: Seen) -> ir.Delete:
    return ir.Delete(node, expressions(node.targets, seen))


def _scope(kind: str, node: ast.Global | ast.Nonlocal, seen: Seen) -> ir.Scope:
    seen.extend(node.names)
    return ir.Scope(node, kind, tuple(node.names))


def _if(node: ast.If, seen: Seen) -> ir.If:
    test = expression(node.test, seen)
    return ir.If(node, test, _block(node.body, seen), _block(node.orelse, seen))


def _for(node: ast.For | ast.AsyncFor, seen: Seen) -> ir.For:
    target = seen.store(expression(node.target, seen))
    source = expression(node.iter, seen)
    return ir.For(node, target, source, _block(node.body, seen), _block(node.orelse, seen))


def _while(node: ast.While, seen: Seen) -> ir.While:
    test = expression(node.test, seen)
    return ir.While(node, test, _block(node.body, seen), _block(node.orelse, seen))


def _try(node: Any, seen: Seen) -> ir.Try:
    return ir.Try(
        node,
        _block(node.body, seen),
        tuple([_handler(handler, seen) for handler in node.handlers]),
        _block(node.orelse, seen),
        _block(node.finalbody, seen),
    )


def _handler(node: ast.ExceptHandler, seen: Seen) -> ir.Handler:
    if node.name is not None:
        seen.append(node.name)
    return ir.Handler(node, optional(node.type, seen), node.name, _block(node.body, seen))


def _with(node: ast.With | ast.AsyncWith, seen: Seen) -> ir.With:
    items = []
    for item in node.items:
        context = expression(item.context_expr, seen)
        target = optional(item.optional_vars, seen)
        items.append((context, None if target is None else seen.store(target)))
    return ir.With(node, tuple(items), _block(node.body, seen))


def _match(node: ast.Match, seen: Seen) -> ir.Match:
    subject = expression(node.subject, seen)
    return ir.Match(node, subject, tuple([_case(case, subject, seen) for case in node.cases]))


def _case(node: ast.match_case, subject: ir.Expression, seen: Seen) -> ir.Case:
    pattern = Pattern()
    is_irrefutable = lower_pattern(node.pattern, pattern, seen)
    guard = optional(node.guard, seen)
    body = _block(node.body, seen)
    at = (node.body[0], node.body[-1])
    return ir.Case(at, *pattern.parts(subject, asked(node.pattern)), is_irrefutable, guard, body)


def _def(node: ast.FunctionDef | ast.AsyncFunctionDef, seen: Seen) -> ir.Def:
    words, stores, has_yield = len(seen), len(seen.stores), seen.has_yield
    seen.append(node.name)
    _type_parameters(node, seen)
    decorators = expressions(node.decorator_list, seen)
    params = parameters(node.args, seen)
    returns = optional(node.returns, seen)
    outer_yield, seen.has_yield = seen.has_yield, False
    body = _block(node.body, seen)
    has_yield, seen.has_yield = seen.has_yield, outer_yield
    return ir.Def(
        node,
        node.name,
        params,
        body,
        decorators,
        returns,
        has_yield,
        frozenset(seen[words:]),
        frozenset(seen.stores[stores:]),
    )


def _class(node: ast.ClassDef, seen: Seen) -> ir.Class:
    words = len(seen)
    seen.append(node.name)
    _type_parameters(node, seen)
    decorators = expressions(node.decorator_list, seen)
    bases, options = expressions(node.bases, seen), keywords(node.keywords, seen)
    body = _block(node.body, seen)
    return ir.Class(node, node.name, bases, options, body, decorators, frozenset(seen[words:]))


def _import(node: ast.Import, seen: Seen) -> ir.Import:
    return ir.Import(node, _aliases(node.names, seen))


def _import_from(node: ast.ImportFrom, seen: Seen) -> ir.ImportFrom:
    module = node.module or ""
    seen.extend(module.split(".") if module else ())
    return ir.ImportFrom(node, "." * node.level + module, _aliases(node.names, seen))


def _aliases(aliases: list[ast.alias], seen: Seen) -> tuple[tuple[str, str | None], ...]:
    for alias in aliases:
        seen.extend(alias.name.split("."))
        if alias.asname is not None:
            seen.append(alias.asname)
    return tuple([(alias.name, alias.asname) for alias in aliases])


_STATEMENTS: dict[type, Callable[[Any, Seen], ir.Statement | None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated_assign,
    ast.AugAssign: _augmented_assign,
    ast.Expr: _evaluate,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Pass: lambda node, seen: ir.Pass(node),
    ast.Break: lambda node, seen: ir.Break(node),
    ast.Continue: lambda node, seen: ir.Continue(node),
    ast.Global: partial(_scope, "global"),
    ast.Nonlocal: partial(_scope, "nonlocal"),
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.FunctionDef: _def,
    ast.AsyncFunctionDef: _def,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
if sys.version_info >= (3, 11):
    _STATEMENTS[ast.TryStar] = _try
if sys.version_info >= (3, 12):
    _STATEMENTS[ast.TypeAlias] = _type_alias
