"""What Python's own syntax calls of objects in view: loops, items by an index, operators."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core.batches import GIVERS
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import container
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.interpret.objects import container_methods
from devlint.lower import ir
from devlint.values.instance import ANY
from devlint.values.value import Kind, Value

#: What `iter(x)` goes through `x` by, one index after another.
INDEX = Value(Kind.NUMBER)


#: What operators are called, and with the sides changed.
OPERATORS = {
    "+": ("add", "radd"),
    "-": ("sub", "rsub"),
    "*": ("mul", "rmul"),
    "/": ("truediv", "rtruediv"),
    "//": ("floordiv", "rfloordiv"),
    "%": ("mod", "rmod"),
    "**": ("pow", "rpow"),
    "@": ("matmul", "rmatmul"),
    "&": ("and", "rand"),
    "|": ("or", "ror"),
    "^": ("xor", "rxor"),
    "==": ("eq", "eq"),
    "!=": ("ne", "ne"),
    "<": ("lt", "gt"),
    "<=": ("le", "ge"),
    ">": ("gt", "lt"),
    ">=": ("ge", "le"),
    "in": ("", "contains"),
    "not in": ("", "contains"),
}
UNARY = {"-": "neg", "+": "pos", "~": "invert"}
#: The kinds of what may have methods of its own.
OWN = frozenset({Kind.OBJECT, Kind.MODULE})
#: A side of an operator: its expression and its value.
Side: TypeAlias = tuple[ir.Expression, Value]


def special(machine: Run, value: Value, name: str) -> Function | None:
    """A special method of an object in view."""
    if value.kind not in OWN or value.payload in GIVERS:
        return None
    type_ = machine.instance(value.ref).type
    return type_.method(name) if isinstance(type_, ClassInfo) else None


def iterated(machine: Run, value: Value, node: ir.Expression) -> Value:
    """What a loop goes through: of an object in view, what its methods give."""
    if (method := special(machine, value, "__iter__")) is not None:
        given = invoke(machine, method, Arguments(), node, value)
        if given.ref != value.ref:
            return given
        method = special(machine, value, "__next__")
        arguments = Arguments()
    else:
        method = special(machine, value, "__getitem__")
        arguments = Arguments((Argument(node, INDEX),))
    if method is None:
        return container_methods.keys(machine, value) or value
    return container(machine, node, {ANY: invoke(machine, method, arguments, node, value)})


def gone_through(machine: Run, arguments: Arguments) -> Arguments:
    """The arguments of a function that goes through each of them."""
    return replace(
        arguments,
        positional=tuple(
            Argument(each.node, iterated(machine, each.value, each.node))
            for each in arguments.positional
        ),
    )


def item(machine: Run, whole: Value, index: Value, node: ir.Subscript) -> Value | None:
    """What `x[i]` gives, if `x` is an object in view that says so."""
    method = special(machine, whole, "__getitem__")
    if method is None:
        return None
    return invoke(machine, method, Arguments((Argument(node.index, index),)), node, whole)


def operated(machine: Run, node: ir.Node, op: str, one: Side, other: Side) -> Value | None:
    """What an operator gives, if one of its sides is an object in view that says so."""
    if op not in OPERATORS or (one[1].kind not in OWN and other[1].kind not in OWN):
        return None
    name, reflected = OPERATORS[op]
    found = called(machine, node, one[1], name, other)
    return found if found is not None else called(machine, node, other[1], reflected, one)


def changed(machine: Run, node: ir.Node, op: str, one: Side, other: Side) -> Value | None:
    """The same of `one += other`."""
    if op in OPERATORS and one[1].kind in OWN:
        found = called(machine, node, one[1], f"i{OPERATORS[op][0]}", other)
        if found is not None:
            return found
    return operated(machine, node, op, one, other)


def called(machine: Run, node: ir.Node, receiver: Value, name: str, *given: Side) -> Value | None:
    """What a special method gives, `add` for `__add__`; None where there is none in view."""
    method = special(machine, receiver, f"__{name}__")
    if method is None:
        return None
    arguments = Arguments(tuple([Argument(*each) for each in given]))
    return invoke(machine, method, arguments, node, receiver)
