"""The changes that fixes are made of, for rules: on nodes, in words of the program's text."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from devlint.lower import ir
from devlint.lower.change import Change

#: How much of an expression is worth writing out.
LONGEST = 80


def followed(node: ir.Expression, suffix: str) -> Change:
    """`node` with `suffix` behind it, such as `.detach().cpu()`; `-m` becomes `(-m).cpu()`."""
    return Change(node, partial(_made, "followed", suffix))


def moved_to(node: ir.Expression, device: str) -> Change:
    """`node` as `node.to(device)`."""
    return followed(node, f".to({device})")


def replaced(node: ir.Expression, text: str) -> Change:
    """`text` in the place of `node`."""
    return Change(node, partial(_made, "replaced", text))


def wrapped(node: ir.Expression, callee: str) -> Change:
    """`node` as `callee(node)`."""
    return Change(node, partial(_made, "wrapped", callee))


def with_keyword(call: ir.Call, name: str, text: str) -> Change:
    """The call with `name=text`: behind its arguments, before a `**x`, or in the place of the
    `name=` that it has."""
    return Change(call, partial(_made, "with_keyword", name, text))


def value_wrapped(node: ir.Node, callee: str) -> Change:
    """The assignment `x = y` that `node` is in as `x = callee(y)`."""
    return Change(node, partial(_made, "value_wrapped", callee), is_statement=True)


def moved_after(call: ir.Call) -> Change:
    """The call `f(x, device=d)` as `f(x).to(d)`."""
    return Change(call, partial(_made, "moved_after"))


def assigned_back(statement: ir.Evaluate, target: str | None = None) -> Change:
    """The statement `x.to(d)` as `x = x.to(d)`, or assigned to `target`."""
    return Change(statement, partial(_made, "assigned_back", target))


def registered_buffer(node: ir.Node, *, is_persistent: bool = False) -> Change:
    """The statement `self.a = x` that `node` is in as
    `self.register_buffer("a", x, persistent=False)`."""
    return Change(node, partial(_made, "registered_buffer", is_persistent), is_statement=True)


def preceded(node: ir.Node, statement: str) -> Change:
    """The statement that `node` is in, with another on the line above it."""
    return Change(node, partial(_made, "preceded", statement), is_statement=True)


def succeeded(node: ir.Node, statement: str) -> Change:
    """The statement that `node` is in, with another on the line below it."""
    return Change(node, partial(_made, "succeeded", statement), is_statement=True)


def looped(given: ir.Node, statement: str, use: ir.Node) -> Change:
    """The loop with a statement more at the head of its body, which `use` is in.

    `given` is its target, or what it enumerates: then the statement starts with one of the names
    of a tuple that each item is.
    """
    return Change(given, partial(_made, "looped", statement, given, use), is_statement=True)


def begun(block: ir.For | ir.While | ir.With | ir.Def, statement: str) -> Change:
    """The block with a statement more at the head of its body."""
    return Change(block, partial(_made, "begun", statement))


def imported(node: ir.Node, package: str) -> Change:
    """The module that `node` is in, with `import package`, unless it has that."""
    return Change(node, partial(_made, "imported", package), is_module=True)


def spelled(node: ir.Expression | None) -> str | None:
    """A short expression as the program could write it, None for any other.

    Names, attributes, constants, items, and calls of these; double quotes.
    """
    text = _spelled(node)
    return text if text is not None and len(text) <= LONGEST else None


def move_of(call: ir.Node) -> str | None:
    """The move that a call makes, as it can be written behind something else: `.to(device)`."""
    if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Attribute):
        return None
    named = [value for name, value in call.keywords if name == "device"]
    match call.func.name, [*named, *call.args]:
        case "to", [device, *_]:
            return _joined(".to(", spelled(device), ")")
        case "cuda", []:
            return ".cuda()"
        case "cuda", [device, *_]:
            return _joined(".cuda(", spelled(device), ")")
    return None


def root(node: ir.Node) -> str | None:
    """The name that `x`, `x["a"]`, `x.a` or `x.view(..)` start with."""
    while isinstance(node, (ir.Attribute, ir.Subscript, ir.Call)):
        node = node.func if isinstance(node, ir.Call) else node.value
    return node.id if isinstance(node, ir.Name) else None


def _spelled(node: ir.Expression | None) -> str | None:
    match node:
        case ir.Name():
            return node.id
        case ir.Attribute():
            return _joined(_spelled(node.value), ".", node.name)
        case ir.Constant(value=str() as text) if text.isprintable() and not {*text} & {*'"\\'}:
            return f'"{text}"'
        case ir.Constant(value=None | bool() | int() as value):
            return repr(value)
        case ir.Subscript():
            return _joined(_spelled(node.value), "[", _spelled(node.index), "]")
        case ir.Call():
            values = [_spelled(value) for value in node.args]
            values += [_joined(name, "=", _spelled(value)) for name, value in node.keywords]
            commas = [part for value in values for part in (", ", value)][1:]
            return _joined(_spelled(node.func), "(", *commas, ")")
    return None


def _joined(*parts: str | None) -> str | None:
    known = [part for part in parts if part is not None]
    return "".join(known) if len(known) == len(parts) else None


def _made(function: str, *given: Any) -> Any:
    """LibCST is imported only when a change is made."""
    *arguments, old = given
    where = "cst_import" if function == "imported" else "cst_build"
    return getattr(import_module(f"devlint.lower.{where}"), function)(old, *arguments)
