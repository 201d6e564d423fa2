"""Lowering by LibCST, which keeps every position and reads newer syntax than the running Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import libcst as cst

from devlint.lower import ir
from devlint.lower.cst_edit import edits
from devlint.lower.cst_expression import (
    arguments,
    expression,
    expressions,
    optional,
    parameters,
)
from devlint.lower.cst_pattern import asked, lower_pattern
from devlint.lower.cst_span import Offsets, spans
from devlint.lower.cst_token import AUGMENTED, identifier
from devlint.lower.lowered import Lowered, Pattern, Seen, assigned


def lower(source: bytes | str) -> Lowered:
    """Raises ParserSyntaxError, and SyntaxError or ValueError for a literal without a value.

    Before it is called, `limits.obstacle` must find nothing: LibCST can end the process.
    """
    tree = cst.parse_module(source.removeprefix("\ufeff") if isinstance(source, str) else source)
    text = (
        source.removeprefix("\ufeff") if isinstance(source, str) else source.decode(tree.encoding)
    )
    seen = Seen()
    with warnings.catch_warnings():
        # An invalid escape in the linted file is no concern of whoever runs devlint.
        warnings.simplefilter("ignore")
        body = _block(tree, seen)
    offsets = cache(partial(Offsets, tree))
    module = ir.Module(tree, body, frozenset(seen))
    return Lowered(module, partial(spans, offsets), partial(edits, offsets, text))


def _block(node: Any, seen: Seen) -> ir.Block:
    lowered = [_STATEMENTS[part.__class__](part, seen) for part in _parts(node)]
    return tuple([statement for statement in lowered if statement is not None])


def _parts(node: Any) -> list[cst.CSTNode]:
    """The statements of a module, an indented block or a suite; `;` separates like a line."""
    parts: list[cst.CSTNode] = []
    for part in node.body:
        if part.__class__ is cst.SimpleStatementLine:
            parts += part.body
        else:
            parts.append(part)
    return parts


def _optional_block(node: cst.Else | cst.Finally | None, seen: Seen) -> ir.Block:
    return () if node is None else _block(node.body, seen)


def _target(node: cst.CSTNode, seen: Seen) -> ir.Expression:
    return seen.store(expression(node, seen))


def _assign(node: cst.Assign, seen: Seen) -> ir.Assign | ir.Def:
    before = len(seen)
    targets = tuple([_target(target.target, seen) for target in node.targets])
    value = expression(node.value, seen)
    return assigned(node, targets, value, lambda: frozenset(seen[before:]))


def _annotated_assign(node: cst.AnnAssign, seen: Seen) -> ir.Assign | ir.Declare | None:
    if node.value is None:
        if not isinstance(node.target, cst.Name):
            return None
        annotation = expression(node.annotation.annotation, seen)
        return ir.Declare(node, identifier(node.target), annotation)
    target = _target(node.target, seen)
    annotation = expression(node.annotation.annotation, seen)
    return ir.Assign(node, (target,), expression(node.value, seen), annotation)


def _augmented_assign(node: cst.AugAssign, seen: Seen) -> ir.AugmentedAssign:
    target = _target(node.target, seen)
    value = expression(node.value, seen)
    return ir.AugmentedAssign(node, target, AUGMENTED[node.operator.__class__], value)


def _type_alias(node: cst.TypeAlias, seen: Seen) -> ir.Assign:
    _type_parameters(node, seen)
    return ir.Assign(node, (expression(node.name, seen),), expression(node.value, seen))


def _type_parameters(node: cst.TypeAlias | cst.FunctionDef | cst.ClassDef, seen: Seen) -> None:
    # Bounds and defaults are evaluated only when asked for; the names are all that matters.
    if node.type_parameters is not None:
        seen.extend([identifier(parameter.param.name) for parameter in node.type_parameters.params])


def _evaluate(node: cst.Expr, seen: Seen) -> ir.Evaluate:
    return ir.Evaluate(node, expression(node.value, seen))


def _return(node: cst.Return, seen: Seen) -> ir.Return:
    return ir.Return(node, optional(node.value, seen))


def _raise(node: cst.Raise, seen: Seen) -> ir.Raise:
    cause = node.cause and node.cause.item
    return ir.Raise(node, optional(node.exc, seen), optional(cause, seen))


def _assert(node: cst.Assert, seen: Seen) -> ir.Assert:
    return ir.Assert(node, expression(node.test, seen), optional(node.msg, seen))


def _delete(node: cst.Del, seen: Seen) -> ir.Delete:
    target = node.target
    if isinstance(target, cst.Tuple) and not target.lpar:
        return ir.Delete(node, expressions(target.elements, seen))
    return ir.Delete(node, (expression(target, seen),))


def _scope(kind: str, node: cst.Global | cst.Nonlocal, seen: Seen) -> ir.Scope:
    names = tuple([identifier(item.name) for item in node.names])
    seen.extend(names)
    return ir.Scope(node, kind, names)


def _if(node: cst.If, seen: Seen) -> ir.If:
    test = expression(node.test, seen)
    body = _block(node.body, seen)
    if isinstance(node.orelse, cst.If):
        return ir.If(node, test, body, (_if(node.orelse, seen),))
    return ir.If(node, test, body, _optional_block(node.orelse, seen))


def _for(node: cst.For, seen: Seen) -> ir.For:
    target, source = _target(node.target, seen), expression(node.iter, seen)
    body = _block(node.body, seen)
    return ir.For(node, target, source, body, _optional_block(node.orelse, seen))


def _while(node: cst.While, seen: Seen) -> ir.While:
    test = expression(node.test, seen)
    return ir.While(node, test, _block(node.body, seen), _optional_block(node.orelse, seen))


def _try(node: cst.Try | cst.TryStar, seen: Seen) -> ir.Try:
    return ir.Try(
        node,
        _block(node.body, seen),
        tuple([_handler(handler, seen) for handler in node.handlers]),
        _optional_block(node.orelse, seen),
        _optional_block(node.finalbody, seen),
    )


def _handler(node: cst.ExceptHandler | cst.ExceptStarHandler, seen: Seen) -> ir.Handler:
    name = _alias(node.name)
    if name is not None:
        seen.append(name)
    return ir.Handler(node, optional(node.type, seen), name, _block(node.body, seen))


def _with(node: cst.With, seen: Seen) -> ir.With:
    items = []
    for item in node.items:
        context = expression(item.item, seen)
        items.append((context, _target(item.asname.name, seen) if item.asname else None))
    return ir.With(node, tuple(items), _block(node.body, seen))


def _match(node: cst.Match, seen: Seen) -> ir.Match:
    subject = expression(node.subject, seen)
    return ir.Match(node, subject, tuple([_case(case, subject, seen) for case in node.cases]))


def _case(node: cst.MatchCase, subject: ir.Expression, seen: Seen) -> ir.Case:
    pattern = Pattern()
    is_irrefutable = lower_pattern(node.pattern, pattern, seen)
    guard = optional(node.guard, seen)
    body = _block(node.body, seen)
    parts = _parts(node.body)
    at = (parts[0], parts[-1])
    return ir.Case(at, *pattern.parts(subject, asked(node.pattern)), is_irrefutable, guard, body)


def _def(node: cst.FunctionDef, seen: Seen) -> ir.Def:
    words, stores = len(seen), len(seen.stores)
    name = identifier(node.name)
    seen.append(name)
    _type_parameters(node, seen)
    decorators = expressions([decorator.decorator for decorator in node.decorators], seen)
    params = parameters(node.params, seen)
    returns = optional(node.returns and node.returns.annotation, seen)
    outer_yield, seen.has_yield = seen.has_yield, False
    body = _block(node.body, seen)
    has_yield, seen.has_yield = seen.has_yield, outer_yield
    return ir.Def(
        node,
        name,
        params,
        body,
        decorators,
        returns,
        has_yield,
        frozenset(seen[words:]),
        frozenset(seen.stores[stores:]),
    )


def _class(node: cst.ClassDef, seen: Seen) -> ir.Class:
    words = len(seen)
    name = identifier(node.name)
    seen.append(name)
    _type_parameters(node, seen)
    decorators = expressions([decorator.decorator for decorator in node.decorators], seen)
    bases, keywords = arguments([*node.bases, *node.keywords], seen)
    body = _block(node.body, seen)
    return ir.Class(node, name, bases, keywords, body, decorators, frozenset(seen[words:]))


def _import(node: cst.Import, seen: Seen) -> ir.Import:
    return ir.Import(node, _aliases(node.names, seen))


def _import_from(node: cst.ImportFrom, seen: Seen) -> ir.ImportFrom:
    module = "" if node.module is None else _dotted(node.module, seen)
    dotted = "." * len(node.relative) + module
    if isinstance(node.names, cst.ImportStar):
        seen.append("*")
        return ir.ImportFrom(node, dotted, (("*", None),))
    return ir.ImportFrom(node, dotted, _aliases(node.names, seen))


def _aliases(aliases: Sequence[cst.ImportAlias], seen: Seen) -> tuple[tuple[str, str | None], ...]:
    names = []
    for alias in aliases:
        name, asname = _dotted(alias.name, seen), _alias(alias.asname)
        seen.extend([] if asname is None else [asname])
        names.append((name, asname))
    return tuple(names)


def _alias(node: cst.AsName | None) -> str | None:
    if node is None:
        return None
    assert isinstance(node.name, cst.Name)
    return identifier(node.name)


def _dotted(node: cst.BaseExpression, seen: Seen) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(identifier(node.attr))
        node = node.value
    assert isinstance(node, cst.Name)
    parts.append(identifier(node))
    seen.extend(parts)
    return ".".join(reversed(parts))


_STATEMENTS: dict[type, Callable[[Any, Seen], ir.Statement | None]] = {
    cst.Assign: _assign,
    cst.AnnAssign: _annotated_assign,
    cst.AugAssign: _augmented_assign,
    cst.TypeAlias: _type_alias,
    cst.Expr: _evaluate,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Del: _delete,
    cst.Pass: lambda node, seen: ir.Pass(node),
    cst.Break: lambda node, seen: ir.Break(node),
    cst.Continue: lambda node, seen: ir.Continue(node),
    cst.Global: partial(_scope, "global"),
    cst.Nonlocal: partial(_scope, "nonlocal"),
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
    cst.FunctionDef: _def,
    cst.ClassDef: _class,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
}
