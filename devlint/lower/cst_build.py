"""What fixes make of LibCST nodes: each function is given an old node and returns the new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from devlint.lower import ir

#: What an attribute access or a call may follow as it is.
PRIMARIES = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.SimpleString,
    cst.FormattedString,
    cst.List,
    cst.Dict,
    cst.Set,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.Ellipsis,
)
SPACE = cst.SimpleWhitespace(" ")
NOTHING = cst.SimpleWhitespace("")


def primary(node: Any) -> Any:
    """The expression, in parentheses where something that follows would bind more tightly."""
    return node if node.lpar or isinstance(node, PRIMARIES) else parenthesised(node)


def parenthesised(node: Any) -> Any:
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def followed(old: Any, suffix: str) -> cst.BaseExpression:
    whole = cst.parse_expression(f"_{suffix}")
    place: Any = whole
    while not isinstance(place, cst.Name):
        place = place.func if isinstance(place, cst.Call) else place.value
    made: Any = whole.deep_replace(place, primary(old))
    return made  # type: ignore[no-any-return]


def replaced(old: Any, text: str) -> cst.BaseExpression:
    new: Any = cst.parse_expression(text)
    if old.lpar:
        return new.with_changes(lpar=old.lpar, rpar=old.rpar)  # type: ignore[no-any-return]
    return primary(new) if isinstance(old, PRIMARIES) else new  # type: ignore[no-any-return]


def wrapped(old: Any, callee: str) -> cst.Call:
    is_bare = isinstance(old, (cst.Tuple, cst.Yield, cst.NamedExpr)) and not old.lpar
    argument = parenthesised(old) if is_bare else old
    return cst.Call(cst.parse_expression(callee), [cst.Arg(argument)])


def with_keyword(old: Any, name: str, text: str) -> cst.Call | None:
    if not isinstance(old, cst.Call):
        return None
    value = cst.parse_expression(text)
    for argument in old.args:
        if argument.keyword is not None and argument.keyword.value == name:
            return old.with_deep_changes(argument, value=value)
    new = cst.Arg(value, cst.Name(name), equal=cst.AssignEqual(NOTHING, NOTHING))
    if not old.args:
        return old.with_changes(args=[new])
    args = list(old.args)
    if isinstance(args[0].value, cst.GeneratorExp) and not args[0].value.lpar:
        args[0] = args[0].with_changes(value=parenthesised(args[0].value))
    return old.with_changes(args=with_argument(args, new, old.whitespace_before_args))


def value_wrapped(old: Any, callee: str) -> Any:
    statement = old.body[0] if isinstance(old, cst.SimpleStatementLine) else None
    if not isinstance(statement, (cst.Assign, cst.AnnAssign)) or statement.value is None:
        return None
    return old.with_deep_changes(statement, value=wrapped(statement.value, callee))


def moved_after(old: Any) -> cst.BaseExpression | None:
    names = {each.keyword.value for each in old.args if each.keyword}
    # What is moved is no leaf, and not what `out` is.
    if "device" not in names or names & {"out", "requires_grad"}:
        return None
    given = [each for each in old.args if each.keyword and each.keyword.value == "device"]
    args = [each for each in old.args if each is not given[0]]
    if args and old.args[-1] is given[0]:
        args[-1] = args[-1].with_changes(
            comma=given[0].comma, whitespace_after_arg=given[0].whitespace_after_arg
        )
    move = cst.Attribute(old.with_changes(args=args, lpar=[], rpar=[]), cst.Name("to"))
    return cst.Call(move, [cst.Arg(given[0].value)], lpar=old.lpar, rpar=old.rpar)


def with_argument(args: list[cst.Arg], new: cst.Arg, opening: Any) -> list[cst.Arg]:
    """The arguments with one more behind them, but before a `**x`."""
    separator = separation(args, opening)
    index = next((i for i, each in enumerate(args) if each.star == "**"), len(args))
    if index < len(args):
        comma = cst.Comma(NOTHING, separator)
        return [*args[:index], new.with_changes(comma=comma), *args[index:]]
    last = args[-1]
    if isinstance(last.comma, cst.Comma):
        closing = last.comma.whitespace_after
        comma = last.comma.with_changes(whitespace_after=kept(closing, separator, opening))
        args[-1] = last.with_changes(comma=comma)
        return [*args, new.with_changes(comma=cst.Comma(NOTHING, uncommented(closing)))]
    closing = last.whitespace_after_arg
    comma = cst.Comma(NOTHING, kept(closing, separator, opening))
    args[-1] = last.with_changes(comma=comma, whitespace_after_arg=NOTHING)
    return [*args, new.with_changes(whitespace_after_arg=uncommented(closing))]


def separation(args: Sequence[cst.Arg], opening: Any) -> Any:
    """The whitespace after the commas of a call: a new line where its arguments have lines."""
    commas = [each.comma for each in args[:-1] if isinstance(each.comma, cst.Comma)]
    found = commas[-1].whitespace_after if commas else opening
    return uncommented(found) if isinstance(found, cst.ParenthesizedWhitespace) else SPACE


def kept(closing: Any, separator: Any, opening: Any) -> Any:
    """The separator with the comments that stand before the closing parenthesis."""
    if not isinstance(closing, cst.ParenthesizedWhitespace) or not has_comment(closing):
        return separator
    for space in (separator, opening):
        if isinstance(space, cst.ParenthesizedWhitespace):
            return closing.with_changes(indent=space.indent, last_line=space.last_line)
    return closing


def has_comment(space: cst.ParenthesizedWhitespace) -> bool:
    return bool(space.first_line.comment) or any(line.comment for line in space.empty_lines)


def uncommented(space: Any) -> Any:
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return space
    first = cst.TrailingWhitespace(newline=space.first_line.newline)
    return space.with_changes(first_line=first, empty_lines=[])


def assigned_back(old: Any, target: str | None) -> cst.Assign | None:
    """`x.to(d)` as `x = x.to(d)`; without a target, to what the method is called on."""
    if not isinstance(old, cst.Expr):
        return None
    call: Any = old.value
    if target is None and not (isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute)):
        return None
    receiver: Any = cst.parse_expression(target) if target else call.func.value.deep_clone()
    return cst.Assign([cst.AssignTarget(receiver)], call, semicolon=old.semicolon)


def registered_buffer(old: Any, is_persistent: bool) -> cst.SimpleStatementLine | None:
    """`self.a = x` as `self.register_buffer("a", x)`."""
    statement = old.body[0] if isinstance(old, cst.SimpleStatementLine) else None
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0].target, statement.value
    if not isinstance(target, cst.Attribute):
        return None
    name = cst.SimpleString(f'"{target.attr.value}"')
    is_bare = isinstance(value, (cst.Tuple, cst.Yield)) and not value.lpar
    args = [cst.Arg(name), cst.Arg(parenthesised(value) if is_bare else value)]
    function = target.with_changes(attr=cst.Name("register_buffer"))
    call: Any = cst.Call(function, args)
    if not is_persistent:
        call = with_keyword(call, "persistent", "False")
    made: Any = old.with_changes(body=[cst.Expr(call, semicolon=statement.semicolon)])
    return made  # type: ignore[no-any-return]


def preceded(old: Any, text: str) -> list[cst.CSTNode]:
    """A statement with another above it, on the line above: its comments stay where they are."""
    above: Any = cst.parse_statement(text)
    return [
        above.with_changes(leading_lines=old.leading_lines),
        old.with_changes(leading_lines=[]),
    ]


def succeeded(old: Any, text: str) -> list[cst.CSTNode]:
    return [old, cst.parse_statement(text)]


def looped(old: Any, text: str, given: ir.Node, use: ir.Node) -> Any:
    if not isinstance(old, cst.For) or not holds(old.body, use):
        return None
    target = old.target
    if not holds(target, given):
        # `for i, (x, y) in enumerate(given)`: what each item is, is written out.
        items = target.elements if isinstance(target, cst.Tuple) else ()
        if len(items) != 2 or not isinstance(items[1].value, cst.Tuple):
            return None
        target = items[1].value
    name, _, _ = text.partition(" ")
    return begun(old, text) if name in names(target) else None


def names(target: cst.BaseExpression) -> set[str]:
    """The names that a target binds."""
    if isinstance(target, cst.Tuple):
        return {name for each in target.elements for name in names(each.value)}
    return {target.value} if isinstance(target, cst.Name) else set()


def holds(whole: cst.CSTNode, part: ir.Node) -> bool:
    pending = [whole]
    while pending:
        each = pending.pop()
        if each is part.at:
            return True
        pending += each.children
    return False


def begun(old: Any, text: str) -> Any:
    """A loop, a function or another block with one more statement at its head."""
    body = getattr(old, "body", None)
    if not isinstance(body, cst.IndentedBlock):
        return None
    return old.with_changes(body=body.with_changes(body=[cst.parse_statement(text), *body.body]))
