"""What Python's own syntax calls of objects in view: loops, and items by an index."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core.batches import GIVERS
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.containers import container
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import ClassInfo, Function
from devlint.lower import ir
from devlint.values.instance import ANY
from devlint.values.value import Kind, Value

#: What `iter(x)` goes through `x` by, one index after another.
INDEX = Value(Kind.NUMBER)


def special(machine: Run, value: Value, name: str) -> Function | None:
    """A special method of an object in view."""
    if value.kind is not Kind.OBJECT or value.payload in GIVERS:
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
        return value
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
