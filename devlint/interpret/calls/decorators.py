"""What decorators in view make of functions, and do with classes."""

from __future__ import annotations

from dataclasses import replace

from devlint.interpret.calls.inlining import invoke
from devlint.interpret.core.arguments import evaluated
from devlint.interpret.core.call import Argument, Arguments
from devlint.interpret.core.definitions import (
    TRANSPARENT_DECORATORS,
    class_definition,
    decorator_name,
    definition,
)
from devlint.interpret.core.interpreter import Run
from devlint.interpret.core.scopes import Bound, Function
from devlint.lower import ir
from devlint.values.value import NOTHING, Kind, Value


def defined(machine: Run, node: ir.Def) -> None:
    """Bind a function, as its decorators give it back."""
    definition(machine, node)
    frame, function = machine.frame, machine.frame.defined[-1]
    if not isinstance(function, Function):
        return
    if frame.is_class_body:
        wrap(machine, node, function)
    elif machine.lookup(node.name) == NOTHING:
        machine.bind(node.name, decorated(machine, node, Value(Kind.FUNCTION, payload=function)))


def wrap(machine: Run, node: ir.Def, method: Function) -> None:
    """Know what is called instead of a method, if its decorators are understood."""
    owner = machine.frame.owner
    if not method.is_wrapped or owner is None:
        return
    bare = Value(Kind.FUNCTION, payload=replace(method, is_wrapped=False))
    made = decorated(machine, node, bare).payload
    if isinstance(made, Function) and made.node is not node:
        owner.wrappers[node] = made


def class_defined(machine: Run, node: ir.Class) -> None:
    """Bind a class, and let its decorators have it: they may keep it under some name. What they
    give back is taken for the class itself."""
    class_definition(machine, node)
    value = machine.lookup(node.name)
    if value is None or value.kind is not Kind.CLASS:
        return
    for decorator in reversed(node.decorators):
        if (wrapper := wrapping(machine, decorator)) is not None:
            wrapped(machine, wrapper, decorator, value)


def decorated(machine: Run, node: ir.Def, value: Value) -> Value:
    """What a function becomes, unless what is done to it in view is not understood."""
    for decorator in reversed(node.decorators):
        if decorator_name(decorator) not in TRANSPARENT_DECORATORS:
            wrapper = wrapping(machine, decorator)
            if wrapper is None:
                return passed_on(machine, decorator, value)
            value = wrapped(machine, wrapper, decorator, value)
            if not isinstance(value.payload, Function):
                return NOTHING
    return value


def wrapped(machine: Run, wrapper: Value, decorator: ir.Expression, value: Value) -> Value:
    """What a decorator in view gives for what is decorated."""
    return called(machine, wrapper, Arguments((Argument(decorator, value),)), decorator)


def called(machine: Run, callee: Value, arguments: Arguments, node: ir.Expression) -> Value:
    payload = callee.payload
    if isinstance(payload, Bound) and payload.function is not None:
        function, receiver = payload.function, payload.receiver
        return invoke(machine, function, arguments, node, receiver, is_certain=True)
    assert isinstance(payload, Function)
    return invoke(machine, payload, arguments, node, is_certain=True)


def passed_on(machine: Run, decorator: ir.Expression, value: Value) -> Value:
    """What a decorator makes of a function that is not in view: it may move what that gives."""
    made = decorator.func if isinstance(decorator, ir.Call) else decorator
    if not isinstance(value.payload, Function) or machine.evaluate(made).kind is not Kind.IMPORTED:
        return NOTHING
    return replace(value, payload=replace(value.payload, is_decorated=True))


def wrapping(machine: Run, decorator: ir.Expression) -> Value | None:
    """The function or method in view that is called with what is decorated; `@retry(3)` gives
    one."""
    if not isinstance(decorator, ir.Call):
        callee = machine.evaluate(decorator)
    elif is_in_view(maker := machine.evaluate(decorator.func)):
        callee = called(machine, maker, evaluated(machine, decorator), decorator)
    else:
        return None
    return callee if is_in_view(callee) else None


def is_in_view(callee: Value) -> bool:
    payload = callee.payload
    return isinstance(payload, Function) or (isinstance(payload, Bound) and bool(payload.function))
