"""Expressions of LibCST as the representation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import libcst as cst

from devlint.lower import ir
from devlint.lower.cst_text import adjacent, pieces, replacement_fields
from devlint.lower.cst_token import (
    BINARY,
    COMPARE,
    SINGLETONS,
    UNARY,
    identifier,
    string_value,
)
from devlint.lower.lowered import Seen, comparison, spread


def expression(node: cst.CSTNode, seen: Seen) -> ir.Expression:
    return _EXPRESSIONS[node.__class__](node, seen)


def optional(node: cst.CSTNode | None, seen: Seen) -> ir.Expression | None:
    return None if node is None else _EXPRESSIONS[node.__class__](node, seen)


def expressions(nodes: Iterable[cst.CSTNode], seen: Seen) -> tuple[ir.Expression, ...]:
    return tuple([_EXPRESSIONS[node.__class__](node, seen) for node in nodes])


def _name(node: cst.Name, seen: Seen) -> ir.Expression:
    if node.value in SINGLETONS:
        return ir.Constant(node, SINGLETONS[node.value])
    name = identifier(node)
    seen.append(name)
    return ir.Name(node, name)


def _integer(node: cst.Integer, seen: Seen) -> ir.Constant:
    return ir.Constant(node, int(node.value, 0))


def _string(node: cst.SimpleString, seen: Seen) -> ir.Constant:
    return ir.Constant(node, string_value(node))


def _concatenation(node: cst.ConcatenatedString, seen: Seen) -> ir.Constant | ir.Text:
    parts = adjacent(node)
    plain = [string_value(part) for part in parts if isinstance(part, cst.SimpleString)]
    if len(plain) < len(parts):
        return _text(node, seen)
    joined = b"" if isinstance(plain[0], bytes) else ""
    return ir.Constant(node, joined.join(plain))  # type: ignore[arg-type]


def _text(node: cst.BaseExpression, seen: Seen) -> ir.Text:
    parts = adjacent(node)
    fields = [field for part in parts for field in replacement_fields(part)]
    return ir.Text(node, pieces(parts), expressions(fields, seen))


def _attribute(node: cst.Attribute, seen: Seen) -> ir.Attribute:
    name = identifier(node.attr)
    seen.append(name)
    return ir.Attribute(node, expression(node.value, seen), name)


def _subscript(node: cst.Subscript, seen: Seen) -> ir.Subscript:
    value = expression(node.value, seen)
    items = tuple([_index(element, seen) for element in node.slice])
    has_comma = isinstance(node.slice[-1].comma, cst.Comma)
    if len(items) > 1 or has_comma or isinstance(items[0], ir.Starred):
        return ir.Subscript(node, value, ir.Display(tuple(node.slice), "tuple", items))
    return ir.Subscript(node, value, items[0])


def _index(element: cst.SubscriptElement, seen: Seen) -> ir.Expression:
    index = element.slice
    if isinstance(index, cst.Slice):
        lower, upper = optional(index.lower, seen), optional(index.upper, seen)
        return ir.Slice(element, lower, upper, optional(index.step, seen))
    assert isinstance(index, cst.Index)
    value = expression(index.value, seen)
    return value if index.star is None else ir.Starred(element, value)


class Parentheses(NamedTuple):
    """The place of a generator that is a call's only argument: `ast` gives it the call's own."""

    call: cst.Call


def _call(node: cst.Call, seen: Seen) -> ir.Call:
    func = expression(node.func, seen)
    match node.args:
        case [cst.Arg(value=cst.GeneratorExp(lpar=[]) as only, keyword=None, star="")]:
            argument = _comprehension("generator", only, seen, at=Parentheses(node))
            return ir.Call(node, func, (argument,), ())
    return ir.Call(node, func, *arguments(node.args, seen))


def arguments(
    nodes: Sequence[cst.Arg], seen: Seen
) -> tuple[tuple[ir.Expression, ...], tuple[tuple[str | None, ir.Expression], ...]]:
    args: list[ir.Expression] = []
    keywords: list[tuple[str | None, ir.Expression]] = []
    for node in nodes:
        value = expression(node.value, seen)
        if node.keyword is not None:
            name = identifier(node.keyword)
            seen.append(name)
            keywords.append((name, value))
        elif node.star == "**":
            keywords.append((None, value))
        else:
            args.append(ir.Starred(node, value) if node.star else value)
    return tuple(spread(args)), tuple(keywords)


def _unary(node: cst.UnaryOperation, seen: Seen) -> ir.Unary:
    return ir.Unary(node, UNARY[node.operator.__class__], expression(node.expression, seen))


def _binary(node: cst.BinaryOperation, seen: Seen) -> ir.Expression:
    spine = [node]
    while isinstance(left := spine[-1].left, cst.BinaryOperation):
        spine.append(left)
    value = expression(spine[-1].left, seen)
    for link in reversed(spine):
        right = expression(link.right, seen)
        value = ir.Binary(link, BINARY[link.operator.__class__], value, right)
    return value


def _logic(node: cst.BooleanOperation, seen: Seen) -> ir.Logic:
    operator = node.operator.__class__
    values = [node.right]
    left = node.left
    while (
        isinstance(left, cst.BooleanOperation)
        and left.operator.__class__ is operator
        and not left.lpar
    ):
        values.append(left.right)
        left = left.left
    values.append(left)
    op = "and" if operator is cst.And else "or"
    return ir.Logic(node, op, expressions(reversed(values), seen))


def _compare(node: cst.Comparison, seen: Seen) -> ir.Compare:
    ops = tuple([COMPARE[target.operator.__class__] for target in node.comparisons])
    left = expression(node.left, seen)
    comparators = expressions([target.comparator for target in node.comparisons], seen)
    return comparison(node, left, ops, comparators)


def _conditional(node: cst.IfExp, seen: Seen) -> ir.Conditional:
    return ir.Conditional(
        node,
        expression(node.test, seen),
        expression(node.body, seen),
        expression(node.orelse, seen),
    )


def _display(kind: str, node: Any, seen: Seen) -> ir.Display:
    return ir.Display(node, kind, expressions(node.elements, seen))


def _mapping(node: cst.Dict, seen: Seen) -> ir.Mapping:
    keys = [
        expression(item.key, seen) if isinstance(item, cst.DictElement) else None
        for item in node.elements
    ]
    values = expressions([item.value for item in node.elements], seen)
    return ir.Mapping(node, tuple(keys), values)


def _lambda(node: cst.Lambda, seen: Seen) -> ir.Lambda:
    params = parameters(node.params, seen)
    has_yield = seen.has_yield
    body = expression(node.body, seen)
    seen.has_yield = has_yield
    return ir.Lambda(node, params, body)


def _clauses(node: cst.CompFor, seen: Seen) -> tuple[ir.Clause, ...]:
    clauses = []
    clause: cst.CompFor | None = node
    while clause is not None:
        target = seen.store(expression(clause.target, seen))
        conditions = [condition.test for condition in clause.ifs]
        at = (clause.target, (conditions or [clause.iter])[-1])
        source = expression(clause.iter, seen)
        clauses.append(ir.Clause(at, target, source, expressions(conditions, seen)))
        clause = clause.inner_for_in
    return tuple(clauses)


def _comprehension(kind: str, node: Any, seen: Seen, at: object = None) -> ir.Comprehension:
    element = expression(node.elt, seen)
    return ir.Comprehension(at or node, kind, None, element, _clauses(node.for_in, seen))


def _dict_comprehension(node: Any, seen: Seen) -> ir.Comprehension:
    """`{k: v for ...}`, and `{**d for ...}`, which has no key."""
    key = optional(getattr(node, "key", None), seen)
    value = expression(node.value, seen)
    return ir.Comprehension(node, "dict", key, value, _clauses(node.for_in, seen))


def _await(node: cst.Await, seen: Seen) -> ir.Await:
    return ir.Await(node, expression(node.expression, seen))


def _yield(node: cst.Yield, seen: Seen) -> ir.Yield:
    seen.has_yield = True
    if isinstance(node.value, cst.From):
        return ir.Yield(node, expression(node.value.item, seen), True)
    return ir.Yield(node, optional(node.value, seen), False)


def _walrus(node: cst.NamedExpr, seen: Seen) -> ir.Walrus:
    return ir.Walrus(node, expression(node.target, seen), expression(node.value, seen))


def parameters(node: cst.Parameters, seen: Seen) -> tuple[ir.Parameter, ...]:
    params = [(param, "positional") for param in node.posonly_params]
    params += [(param, "plain") for param in node.params]
    if isinstance(node.star_arg, cst.Param):
        params.append((node.star_arg, "*"))
    params += [(param, "keyword") for param in node.kwonly_params]
    if node.star_kwarg is not None:
        params.append((node.star_kwarg, "**"))
    return tuple([_parameter(param, kind, seen) for param, kind in params])


def _parameter(node: cst.Param, kind: str, seen: Seen) -> ir.Parameter:
    name = identifier(node.name)
    seen.append(name)
    at = (node.name, node.annotation or node.name)
    annotation = optional(node.annotation and node.annotation.annotation, seen)
    return ir.Parameter(at, name, kind, optional(node.default, seen), annotation)


_EXPRESSIONS: dict[type, Callable[[Any, Seen], ir.Expression]] = {
    cst.Name: _name,
    cst.Integer: _integer,
    cst.Float: lambda node, seen: ir.Constant(node, float(node.value)),
    cst.Imaginary: lambda node, seen: ir.Constant(node, complex(node.value)),
    cst.Ellipsis: lambda node, seen: ir.Constant(node, ...),
    cst.SimpleString: _string,
    cst.ConcatenatedString: _concatenation,
    cst.FormattedString: _text,
    cst.TemplatedString: _text,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.Call: _call,
    cst.UnaryOperation: _unary,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _logic,
    cst.Comparison: _compare,
    cst.IfExp: _conditional,
    cst.Tuple: partial(_display, "tuple"),
    cst.List: partial(_display, "list"),
    cst.Set: partial(_display, "set"),
    cst.Dict: _mapping,
    cst.Lambda: _lambda,
    cst.ListComp: partial(_comprehension, "list"),
    cst.SetComp: partial(_comprehension, "set"),
    cst.GeneratorExp: partial(_comprehension, "generator"),
    cst.DictComp: _dict_comprehension,
    cst.Element: lambda node, seen: expression(node.value, seen),
    cst.StarredElement: lambda node, seen: ir.Starred(node, expression(node.value, seen)),
    cst.Await: _await,
    cst.Yield: _yield,
    cst.NamedExpr: _walrus,
}
# LibCST 1.9 is the first to know PEP 798.
if hasattr(cst, "StarredDictComp"):
    _EXPRESSIONS[cst.StarredDictComp] = _dict_comprehension
