"""Expressions of `ast` as the representation."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from devlint.lower import ir
from devlint.lower.lowered import Seen, comparison, plain, spread


def expression(node: ast.expr, seen: Seen) -> ir.Expression:
    return _EXPRESSIONS[node.__class__](node, seen)


def optional(node: ast.expr | None, seen: Seen) -> ir.Expression | None:
    return None if node is None else _EXPRESSIONS[node.__class__](node, seen)


def expressions(nodes: Iterable[ast.expr], seen: Seen) -> tuple[ir.Expression, ...]:
    return tuple([_EXPRESSIONS[node.__class__](node, seen) for node in nodes])


def _name(node: ast.Name, seen: Seen) -> ir.Name:
    seen.append(node.id)
    return ir.Name(node, node.id)


def _constant(node: ast.Constant, seen: Seen) -> ir.Constant:
    return ir.Constant(node, node.value)


def _text(node: Any, seen: Seen) -> ir.Text:
    texts, are_whole = [""], [True]
    for value in node.values:
        if isinstance(value, ast.Constant):
            texts[-1] += str(value.value)
        else:
            texts.append("")
            are_whole.append(value.conversion < 0 and value.format_spec is None)
    pieces = [plain(text) if whole else None for text, whole in zip(texts, are_whole, strict=True)]
    return ir.Text(node, tuple(pieces), tuple(_fields(node, seen)))


def _fields(node: Any, seen: Seen) -> list[ir.Expression]:
    fields = []
    for value in node.values:
        if value.__class__ is not ast.Constant:
            fields.append(expression(value.value, seen))
            if value.format_spec is not None:
                fields += _fields(value.format_spec, seen)
    return fields


def _attribute(node: ast.Attribute, seen: Seen) -> ir.Attribute:
    seen.append(node.attr)
    return ir.Attribute(node, expression(node.value, seen), node.attr)


def _subscript(node: ast.Subscript, seen: Seen) -> ir.Subscript:
    return ir.Subscript(node, expression(node.value, seen), expression(node.slice, seen))


def _slice(node: ast.Slice, seen: Seen) -> ir.Slice:
    lower, upper = optional(node.lower, seen), optional(node.upper, seen)
    return ir.Slice(node, lower, upper, optional(node.step, seen))


def _call(node: ast.Call, seen: Seen) -> ir.Call:
    func = expression(node.func, seen)
    args = tuple(spread(expressions(node.args, seen)))
    return ir.Call(node, func, args, keywords(node.keywords, seen))


def keywords(nodes: list[ast.keyword], seen: Seen) -> tuple[tuple[str | None, ir.Expression], ...]:
    if not nodes:
        return ()
    seen.extend([node.arg for node in nodes if node.arg is not None])
    return tuple([(node.arg, expression(node.value, seen)) for node in nodes])


def _unary(node: ast.UnaryOp, seen: Seen) -> ir.Unary:
    return ir.Unary(node, _UNARY[node.op.__class__], expression(node.operand, seen))


def _binary(node: ast.BinOp, seen: Seen) -> ir.Expression:
    spine = [node]
    while isinstance(left := spine[-1].left, ast.BinOp):
        spine.append(left)
    value = expression(spine[-1].left, seen)
    for link in reversed(spine):
        right = expression(link.right, seen)
        value = ir.Binary(link, BINARY[link.op.__class__], value, right)
    return value


def _logic(node: ast.BoolOp, seen: Seen) -> ir.Logic:
    op = "and" if node.op.__class__ is ast.And else "or"
    return ir.Logic(node, op, expressions(node.values, seen))


def _compare(node: ast.Compare, seen: Seen) -> ir.Compare:
    ops = tuple([_COMPARE[op.__class__] for op in node.ops])
    left = expression(node.left, seen)
    return comparison(node, left, ops, expressions(node.comparators, seen))


def _conditional(node: ast.IfExp, seen: Seen) -> ir.Conditional:
    return ir.Conditional(
        node,
        expression(node.test, seen),
        expression(node.body, seen),
        expression(node.orelse, seen),
    )


def _display(kind: str, node: Any, seen: Seen) -> ir.Display:
    return ir.Display(node, kind, expressions(node.elts, seen))


def _mapping(node: ast.Dict, seen: Seen) -> ir.Mapping:
    keys = tuple([optional(key, seen) for key in node.keys])
    return ir.Mapping(node, keys, expressions(node.values, seen))


def _lambda(node: ast.Lambda, seen: Seen) -> ir.Lambda:
    params = parameters(node.args, seen)
    has_yield = seen.has_yield
    body = expression(node.body, seen)
    seen.has_yield = has_yield
    return ir.Lambda(node, params, body)


def _clauses(generators: list[ast.comprehension], seen: Seen) -> tuple[ir.Clause, ...]:
    return tuple([_clause(generator, seen) for generator in generators])


def _clause(node: ast.comprehension, seen: Seen) -> ir.Clause:
    target = seen.store(expression(node.target, seen))
    at = (node.target, (node.ifs or [node.iter])[-1])
    return ir.Clause(at, target, expression(node.iter, seen), expressions(node.ifs, seen))


def _comprehension(kind: str, node: Any, seen: Seen) -> ir.Comprehension:
    clauses = _clauses(node.generators, seen)
    return ir.Comprehension(node, kind, None, expression(node.elt, seen), clauses)


def _dict_comprehension(node: ast.DictComp, seen: Seen) -> ir.Comprehension:
    key, value = expression(node.key, seen), expression(node.value, seen)
    return ir.Comprehension(node, "dict", key, value, _clauses(node.generators, seen))


def _starred(node: ast.Starred, seen: Seen) -> ir.Starred:
    return ir.Starred(node, expression(node.value, seen))


def _await(node: ast.Await, seen: Seen) -> ir.Await:
    return ir.Await(node, expression(node.value, seen))


def _yield(node: ast.Yield | ast.YieldFrom, seen: Seen) -> ir.Yield:
    seen.has_yield = True
    return ir.Yield(node, optional(node.value, seen), isinstance(node, ast.YieldFrom))


def _walrus(node: ast.NamedExpr, seen: Seen) -> ir.Walrus:
    return ir.Walrus(node, expression(node.target, seen), expression(node.value, seen))


def parameters(args: ast.arguments, seen: Seen) -> tuple[ir.Parameter, ...]:
    def parameter(node: ast.arg, kind: str, default: ast.expr | None = None) -> ir.Parameter:
        seen.append(node.arg)
        annotation = optional(node.annotation, seen)
        return ir.Parameter(node, node.arg, kind, optional(default, seen), annotation)

    positional = [(arg, "positional") for arg in args.posonlyargs]
    positional += [(arg, "plain") for arg in args.args]
    bare = len(positional) - len(args.defaults)
    defaults: list[ast.expr | None] = [*[None] * bare, *args.defaults]
    params = [parameter(*arg, default) for arg, default in zip(positional, defaults, strict=True)]
    if args.vararg is not None:
        params.append(parameter(args.vararg, "*"))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        params.append(parameter(arg, "keyword", default))
    if args.kwarg is not None:
        params.append(parameter(args.kwarg, "**"))
    return tuple(params)


_UNARY = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_COMPARE = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_EXPRESSIONS: dict[type, Callable[[Any, Seen], ir.Expression]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.JoinedStr: _text,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Call: _call,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _logic,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Tuple: partial(_display, "tuple"),
    ast.List: partial(_display, "list"),
    ast.Set: partial(_display, "set"),
    ast.Dict: _mapping,
    ast.Lambda: _lambda,
    ast.ListComp: partial(_comprehension, "list"),
    ast.SetComp: partial(_comprehension, "set"),
    ast.GeneratorExp: partial(_comprehension, "generator"),
    ast.DictComp: _dict_comprehension,
    ast.Starred: _starred,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.NamedExpr: _walrus,
}
if sys.version_info >= (3, 14):
    _EXPRESSIONS[ast.TemplateStr] = _text
